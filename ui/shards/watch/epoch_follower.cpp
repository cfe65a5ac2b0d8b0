// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/watch/epoch_follower.h"

#include <chrono>

#include "models/plan_model.h"

namespace ringside {

EpochFollower::EpochFollower(PlanModel& plan, QObject* parent) : QObject(parent), m_plan(plan) {
    m_pause.setSingleShot(true);
    m_pause.setInterval(std::chrono::seconds(1));
    connect(&m_pause, &QTimer::timeout, this, &EpochFollower::showLiveEpoch);
    connect(&plan, &PlanModel::epochChanged, this, [this] {
        if (!m_moving && m_live >= 0) setOn(false);
    });
}

void EpochFollower::setOn(bool on) {
    if (on == m_on) return;
    m_on = on;
    Q_EMIT onChanged(on);
    showLiveEpoch();
}

void EpochFollower::setLiveEpoch(qint64 epoch) {
    m_live = epoch;
    if (epoch >= 0 && !m_pause.isActive())
        m_pause.start();  // waits a second before the epoch is selected, so that
                          // shorter runs do not change it
}

void EpochFollower::finish(qint64 epoch) {
    if (!m_hasMoved) return;
    m_live = epoch;
    showLiveEpoch();
    m_hasMoved = false;
}

void EpochFollower::showLiveEpoch() {
    if (!m_on || m_live < 0 || m_plan.epoch() == m_live) return;
    m_moving = true;
    m_plan.setEpoch(static_cast<int>(m_live));
    m_moving = false;
    m_hasMoved = true;
}

}  // namespace ringside
