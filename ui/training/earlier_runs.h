// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <memory>
#include <vector>

#include "controls/latest_work.h"
#include "telemetry/data/run_data.h"

namespace ringside {

class RunModel;

// Data of the runs from which the shown run was resumed, oldest run first. The runs are read on a worker thread.
class EarlierRuns : public QObject {
    Q_OBJECT
  public:
    explicit EarlierRuns(RunModel& run, QObject* parent = nullptr);

    const std::vector<std::shared_ptr<const RunData>>& runs() const { return m_runs; }

  Q_SIGNALS:
    void changed();

  private:
    void refresh();

    RunModel& m_run;
    bool m_looked = false;  // true once the earlier runs of the shown run were requested from the worker thread
    std::vector<std::shared_ptr<const RunData>> m_runs;
    LatestWork m_work;
};

}  // namespace ringside
