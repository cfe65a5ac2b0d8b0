// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QList>
#include <QString>
#include <QStringList>
#include <QWidget>
#include <functional>
#include <optional>

namespace ringside {

// Called with the path that the user has chosen.
using PathTaken = std::function<void(const QString& path)>;

// Figures about a page's last repaint, for the debug overlay.
struct PageFigures {
    double planMs = 0;
    qint64 plansMade = 0;
    qint64 cacheHits = 0;
    qint64 cellsDrawn = 0;
};

// Keyboard shortcut of a page, for the list of keys.
struct PageKey {
    QString keys;  // keys of the action as text, such as "W / S"
    QString what;
};

// Base class of the pages of the window. To add a page, write a subclass in a folder of its own and add a row to
// pageTable(). The window derives the tab, the key, the entry of the View menu, the value of --page and the entry in
// the list of keys from this row.
//
// All functions are called on the GUI thread. The parent widget owns the page. A page reports the outcome of file
// operations by the signals saved() and failed().
class Page : public QWidget {
    Q_OBJECT
  public:
    // `name` is used by --page and the settings: "shards". `title` is the text of the tab.
    Page(const QString& name, const QString& title, QWidget* parent = nullptr) : QWidget(parent), m_title(title) {
        setObjectName(name + QStringLiteral("Page"));
    }

    QString name() const { return objectName().chopped(4); }
    QString title() const { return m_title; }

    // True if nothing visible is still being drawn, so that a screenshot can be taken.
    virtual bool isSettled() const { return true; }
    // Returns the widgets of the page that the window repaints one after another, in several frames, after a change of
    // the data set or of the number of ranks. Empty: the whole page is repainted in one frame.
    virtual QList<QWidget*> paintParts() const { return {}; }
    virtual PageFigures figures() const { return {}; }
    // True if the page shows a running training, so that the window need not switch pages when a run starts.
    virtual bool followsRuns() const { return false; }
    // Returns the exports that are possible now, as commands of the File menu and the command finder.
    virtual QList<QAction*> exportActions() const { return {}; }
    // Returns the numbers of the visible picture as text, for the clipboard; empty if there are no numbers.
    virtual QString copyText() const { return {}; }
    virtual QList<PageKey> keys() const { return {}; }
    // Returns the widget that receives the keyboard focus when the page is opened by its key; null: the focus does not
    // change.
    virtual QWidget* keyboardWidget() const { return nullptr; }
    // One of several alternative views of the page: "map" in "shards/map".
    struct View {
        QString name;
        QString title;  // text of the button of the view
        QString words;  // synonyms of the view for the command finder
    };
    virtual QList<View> views() const { return {}; }
    virtual void showView(const QString&) {}

    // The window calls showStep(), showRank(), showLastSteps() and find() when the user chooses a step, a rank, the end
    // of the run or a sample outside of this page. The default implementations do nothing.

    // Marks a step (counted from 1) of an epoch (counted from 0). Without a step, removes the mark. If goToRank is
    // given, also scrolls to this rank's part of the step.
    virtual void showStep(std::optional<qint64> /*step*/, qint64 /*epoch*/, std::optional<int> /*goToRank*/) {}
    virtual void showRank(int) {}
    virtual void showLastSteps() {}       // shows the last steps of the run
    virtual void find(const QString&) {}  // enters a query in the find box of the page

  Q_SIGNALS:
    // Requests a path from the user: of a new file with a suggested name, or of an existing one.
    void savePathWanted(const QString& suggestion, const QString& filter, const ringside::PathTaken& taken);
    void openPathWanted(const QString& title, const QString& filter, const ringside::PathTaken& taken);
    void saved(const QString& sentence);  // emitted after a file was written
    void failed(const QString& sentence);

  private:
    QString m_title;
};

}  // namespace ringside
