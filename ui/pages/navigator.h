// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QObject>
#include <QTabWidget>

#include "pages/page.h"

namespace ringside {

// Pages of the window and the current one. Pages are identified by their names.
class Navigator : public QObject {
    Q_OBJECT
  public:
    explicit Navigator(QTabWidget& tabs, QObject* parent = nullptr);

    void add(Page* page);  // adds the page as a tab; the tab widget takes ownership
    const QList<Page*>& pages() const { return m_pages; }
    Page& current() const;

    QStringList names() const;  // returns the names of the pages: "shards", "training"
    // Shows a page or view, such as "training" or "shards/map"; returns false if there is none with this name.
    bool show(const QString& place);
    void focusPage() const;  // gives the keyboard focus to the current page
    // Returns an error text for an unknown page or view: "the pages are shards, training".
    QString choices(const QString& place) const;

  Q_SIGNALS:
    void currentChanged(ringside::Page& page);
    void savePathWanted(const QString& suggestion, const QString& filter, const ringside::PathTaken& taken);
    void openPathWanted(const QString& title, const QString& filter, const ringside::PathTaken& taken);
    void saved(const QString& sentence);
    void failed(const QString& sentence);

  private:
    Page* find(const QString& name) const;

    QTabWidget& m_tabs;
    QList<Page*> m_pages;
};

}  // namespace ringside
