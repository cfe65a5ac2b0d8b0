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
    // Enter has chosen a match. If the search is still working, this is emitted when it has finished.
    void hitChosen(const ringside::PlanHit& hit);

  private:
    void showFound();
    void goToHit(int direction);
    QString countText() const;

    FindBox& m_box;
    PlanFinder m_finder;
    QString m_problem;        // problem of the search that was reported last
    int m_stepWhenFound = 0;  // steps to move through the matches: Enter presses before the matches were available
};

}  // namespace ringside
