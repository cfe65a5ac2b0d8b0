// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>

#include "sampling/query/plan_query.h"
#include "shards/find/find_box.h"
#include "shards/find/plan_finder.h"

namespace ringside {

// Search box and finder of a page: passes the text of the box to the finder and shows the number of matches in the box.
class PlanSearch : public QObject {
    Q_OBJECT
  public:
    // The box must outlive this object.
    explicit PlanSearch(FindBox& box, QObject* parent = nullptr);

    PlanFinder& finder() { return m_finder; }
    const PlanFinder& finder() const { return m_finder; }
    Hits hits() const { return m_finder.isActive() ? m_finder.sharedHits() : Hits(); }  // returns null without a search

  Q_SIGNALS:
    void hitsChanged();
    void problemChanged();  // finder().problem() has changed: the reason why the text is not a valid search
    // Emitted when the user has chosen a match with the Enter key. If a search is running at that time, emitted after
    // it has finished.
    void hitChosen(const ringside::PlanHit& hit);

  private:
    void showFound();
    void goToHit(int direction);
    QString countText() const;

    FindBox& m_box;
    PlanFinder m_finder;
    QString m_problem;        // problem of the search that was reported last
    int m_stepWhenFound = 0;  // direction in which the user pressed Enter during a search: 1 (next match), -1 (previous
                              // match) or 0 (not pressed); the match is chosen when the search has finished
};

}  // namespace ringside
