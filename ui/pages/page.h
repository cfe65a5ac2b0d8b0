// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QList>
#include <QString>
#include <QStringList>
#include <QWidget>

namespace ringside {

// What a page did for its last picture, for the debug overlay.
struct PageFigures {
    double planMs = 0;
    qint64 plansMade = 0;
    qint64 cacheHits = 0;
    qint64 cellsDrawn = 0;
};

// A key that works on a page, for the list of keys.
struct PageKey {
    QString keys;  // "W / S"
    QString what;
};

// What a page offers the window. A new page is a folder with a class of this, and one line in
// MainWindow::addPages(): tab, key, View menu, --page and the list of keys follow from it.
class Page : public QWidget {
    Q_OBJECT
  public:
    // name: "shards", as --page and the settings call it; title: on the tab.
    Page(const QString& name, const QString& title, QWidget* parent = nullptr) : QWidget(parent), m_title(title) {
        setObjectName(name + QStringLiteral("Page"));
    }

    QString name() const { return objectName().chopped(4); }
    QString title() const { return m_title; }

    // Nothing in sight is still being drawn: a picture may be taken.
    virtual bool isSettled() const { return true; }
    // Parts that may paint one after another when all of the window changes; none: the page paints at once.
    virtual QList<QWidget*> paintParts() const { return {}; }
    virtual PageFigures figures() const { return {}; }
    // A run that starts is followed here: the window need not turn to another page.
    virtual bool followsRuns() const { return false; }
    // What can be saved of it now, as commands of the File menu and the command finder.
    virtual QList<QAction*> exportActions() const { return {}; }
    virtual QList<PageKey> keys() const { return {}; }
    // Who gets the keyboard when the page is called by its key; null: whoever has it keeps it.
    virtual QWidget* keyboardHome() const { return nullptr; }
    // Pictures among which the page shows one: "map" in "shards/map".
    struct View {
        QString name;
        QString title;  // on its button
        QString words;  // other words for it, for the command finder
    };
    virtual QList<View> views() const { return {}; }
    virtual void showView(const QString&) {}

  Q_SIGNALS:
    void saved(const QString& sentence);  // a file was written
    void failed(const QString& sentence);

  private:
    QString m_title;
};

}  // namespace ringside
