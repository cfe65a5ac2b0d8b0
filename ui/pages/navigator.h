// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QObject>
#include <QTabWidget>

#include "pages/page.h"

namespace ringside {

// Which pages there are, and which is in sight. Pages are known by their names.
class Navigator : public QObject {
    Q_OBJECT
  public:
    explicit Navigator(QTabWidget& tabs, QObject* parent = nullptr);

    void add(Page* page);  // the tabs own it
    const QList<Page*>& pages() const { return m_pages; }
    Page& current() const;

    QStringList names() const;        // "shards", "training"
    bool show(const QString& place);  // "training", "shards/map"; false: there is no such place
    void giveKeyboard() const;        // to the page in sight
    // For who named a place that is none: "the pages are shards, training".
    QString choices(const QString& place) const;

  Q_SIGNALS:
    void currentChanged(ringside::Page& page);
    void saved(const QString& sentence);
    void failed(const QString& sentence);

  private:
    Page* find(const QString& name) const;

    QTabWidget& m_tabs;
    QList<Page*> m_pages;
};

}  // namespace ringside
