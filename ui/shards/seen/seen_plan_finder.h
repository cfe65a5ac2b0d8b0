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

// Finds the plan that the sampler of the watched PyTorch script follows, once the first batch of each rank has
// confirmed it. Reads the run directory on a worker thread: repeatedly until the plan is known, then at each new epoch,
// and at the end of the run. The time between two reads doubles each time up to a limit, because the record of the run
// grows.
class SeenPlanFinder final : public QObject {
    Q_OBJECT
  public:
    explicit SeenPlanFinder(const RunModel& run, QObject* parent = nullptr);

  Q_SIGNALS:
    // Emitted when the known plan changes, with the loader that it belongs to. plan: empty if no plan is known.
    void changed(const std::optional<ringside::SeenPlan>& plan, qint64 loader);

  private:
    void restart();
    void readLater();
    void read();
    void setSamples(const SeenSamples& samples);

    const RunModel& m_run;
    std::optional<SeenPlan> m_plan;
    std::int64_t m_readEpoch = -1;  // latest epoch that the run had reached when its record was read last
    bool m_wasOver = false;         // true if the run had ended when its record was read last
    bool m_hasNews = false;         // true if events have arrived since the record of the run was read last
    std::chrono::milliseconds m_wait{0};
    QTimer m_later;
    LatestWork m_work;
};

}  // namespace ringside
