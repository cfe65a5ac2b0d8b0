// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/find/plan_search.h"

#include <QLocale>
#include <utility>

namespace ringside {

PlanSearch::PlanSearch(FindBox& box, QObject* parent) : QObject(parent), m_box(box) {
    connect(&box, &FindBox::textChanged, &m_finder, &PlanFinder::setText);
    connect(&box, &FindBox::stepWanted, this, &PlanSearch::goToHit);
    connect(&m_finder, &PlanFinder::changed, this, &PlanSearch::showFound);
}

QString PlanSearch::countText() const {
    const QLocale locale;
    if (!m_finder.isActive() || !m_finder.problem().isEmpty()) return {};
    if (m_finder.isWorking()) return tr("searching");
    const auto count = static_cast<qlonglong>(m_finder.hits().size());
    if (m_finder.current() >= 0)
        return tr("%1 of %2").arg(locale.toString(m_finder.current() + 1), locale.toString(count));
    return count == 0 ? tr("no match") : tr("%1 found").arg(locale.toString(count));
}

void PlanSearch::showFound() {
    m_box.setProblem(m_finder.problem());
    m_box.setCount(countText());
    Q_EMIT hitsChanged();
    if (m_finder.problem() != m_problem) {
        m_problem = m_finder.problem();
        Q_EMIT problemChanged();
    }
    if (m_stepWhenFound != 0 && !m_finder.isWorking()) goToHit(std::exchange(m_stepWhenFound, 0));
}

void PlanSearch::goToHit(int direction) {
    if (m_finder.isWorking()) {
        m_stepWhenFound = direction;
        return;
    }
    const PlanHit* hit = m_finder.step(direction);
    if (hit == nullptr) return;
    Q_EMIT hitChosen(*hit);
    showFound();
}

}  // namespace ringside
