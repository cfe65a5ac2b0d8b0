// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <set>
#include <string_view>

#include "run/prepare/prepared_run.h"
#include "run/record/append_file.h"
#include "run/record/plan_watch.h"
#include "run/record/run_directory.h"
#include "run/record/space_reserve.h"
#include "telemetry/run_data.h"

namespace ringside {

// Writes a run directory while the run goes on: telemetry.jsonl, metrics.jsonl, log.txt, at the end summary.json.
// Everything but finish() throws IoError when the disk refuses.
class RunRecorder {
  public:
    RunRecorder(const RunPaths& paths, const PreparedRun& run);

    // An event from a rank with the line it came as; returns RunChange bits.
    unsigned take(const Event& event, std::string_view line);
    unsigned add(const Event& event);  // an event of the supervisor's own
    void flush();
    // The run directory was lost and made again: everything from now on goes to new files, which begin with this line.
    void startAgain(std::string_view firstLine);
    // Adds the end line and writes summary.json. Returns the end with steps and rates filled in from what was recorded;
    // a failure, when the disk refused a part of it.
    RunEnded finish(RunEnded end);

    const RunData& data() const { return m_data; }  // without curves
    // Steps the run has done, logged or not (training.log_every).
    std::int64_t stepsDone() const;

  private:
    void note(const Event& event);
    void noteTraining(const RankState& state);
    void writeStep(const GlobalStep& step);
    void writeEpochsUpTo(std::int64_t step);
    double samplesDone(std::int64_t steps) const;
    void measure(RunEnded& end) const;
    Json summary(const RunEnded& end) const;
    std::int64_t nonFiniteBatches() const;
    double dataWaitShare() const;
    Json finalMetrics() const;
    Json bestMetrics() const;
    Json normalizeScale() const;
    void takeFindings(const PlanNews& news);

    const RunPaths m_paths;
    const PreparedRun m_run;
    SpaceReserve m_reserve;
    AppendFile m_telemetry;
    AppendFile m_metrics;
    AppendFile m_log;
    RunData m_data;
    std::deque<EpochResult> m_waitingEpochs;  // until the steps before them are written
    std::set<int> m_trainingRanks;            // that have begun
    PlanWatch m_watch;
    std::int64_t m_auditedEpochs = 0;
    std::vector<PlanMismatch> m_mismatches;  // the first of them
    std::int64_t m_trainingFromUs = -1;      // when the last rank began to train
    std::int64_t m_firstStepUs = -1;
};

}  // namespace ringside
