// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QTimer>
#include <chrono>
#include <cstdint>
#include <optional>

#include "controls/latest_work.h"
#include "shards/seen/seen_samples.h"

namespace ringside {

class RunModel;

// Finds the plan that the sampler of the watched script follows, once the first batch of each rank has confirmed it.
// Reads the run directory on a worker thread: until the plan is known, at each new epoch, and at the end of the run.
// The time between two reads doubles with each one, because the record grows.
class SeenPlanFinder final : public QObject {
    Q_OBJECT
  public:
    explicit SeenPlanFinder(const RunModel& run, QObject* parent = nullptr);

  Q_SIGNALS:
    // The plan and its training loader; empty: no plan is known.
    void changed(const std::optional<ringside::SeenPlan>& plan, qint64 loader);

  private:
    void restart();
    void readLater();
    void read();
    void take(const SeenSamples& samples);

    const RunModel& m_run;
    std::optional<SeenPlan> m_plan;
    std::int64_t m_readEpoch = -1;  // latest epoch of the run when the plan was read
    bool m_wasOver = false;         // the run had ended when the plan was read
    bool m_hasNews = false;         // events have arrived since then
    std::chrono::milliseconds m_wait{0};
    QTimer m_later;
    LatestWork m_work;
};

}  // namespace ringside
