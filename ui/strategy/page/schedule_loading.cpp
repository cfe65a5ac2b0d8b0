// SPDX-License-Identifier: GPL-3.0-or-later
// Function of StrategyPage that loads a pipeline schedule from a file.
#include "base/system/files.h"
#include "models/experiment_model.h"
#include "schedule/schedule.h"
#include "strategy/page/strategy_page.h"

namespace ringside {

// Puts a pipeline schedule from a file into the experiment, with the numbers of ranks and micro-batches of this
// schedule. Reports the reason if the file is invalid.
void StrategyPage::loadSchedule(const QString& file) {
    constexpr std::size_t kMaxBytes = 4 << 20;
    const auto refuse = [&](const Problem& problem) {
        Q_EMIT failed(tr("%1 is not a valid schedule: %2")
                          .arg(file, QString::fromStdString(problem.message + ": " + problem.remedy)));
    };
    const Result<std::string> text = readFile(file.toStdString(), kMaxBytes);
    if (!text) return refuse(text.problem());
    const Result<Schedule> schedule = parseSchedule(text.value());
    if (!schedule) return refuse(schedule.problem());
    if (const Result<bool> runs = checkSchedule(schedule.value()); !runs) return refuse(runs.problem());
    RunConfig next = m_experiment.config();
    next.parallel.strategy = StrategyKind::kPipeline;
    next.mesh = {};
    next.pipeline.split.clear();
    next.pipeline.scheduleFile = file.toStdString();
    next.pipeline.microBatches = schedule.value().microBatchCount();
    next.parallel.worldSize = schedule.value().rankCount();
    const std::int64_t rest = next.loader.batchSize % next.pipeline.microBatches;
    if (rest != 0) next.loader.batchSize += next.pipeline.microBatches - rest;
    edit(next, QStringLiteral("pipeline.schedule_file"));
    Q_EMIT saved(tr("Loaded %1 with %2 ranks and %3 micro-batches")
                     .arg(file)
                     .arg(next.parallel.worldSize)
                     .arg(next.pipeline.microBatches));
}

}  // namespace ringside
