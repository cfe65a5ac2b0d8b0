// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QObject>
#include <QTabWidget>

#include "pages/page.h"

namespace ringside {

// Pages of the window, of which one is visible. Pages are identified by their names, such as "training".
class Navigator : public QObject {
    Q_OBJECT
  public:
    explicit Navigator(QTabWidget& tabs, QObject* parent = nullptr);

    void add(Page* page);  // adds the page as a tab; the tab widget takes ownership
    const QList<Page*>& pages() const { return m_pages; }
    Page& current() const;

    QStringList names() const;  // returns the names of all pages, such as "shards" and "training"
    // Shows a page, such as "training", or a view of a page, such as "shards/map". Returns false if there is no page or
    // view with this name.
    bool show(const QString& place);
    void focusPage() const;  // gives the keyboard focus to the current page
    // Returns a text with the existing names, for an error message about the unknown page or view `place`, such as "the
    // pages are shards, training".
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
