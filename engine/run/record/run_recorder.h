// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "run/prepare/prepared_run.h"
#include "run/read/run_directory.h"
#include "run/read/run_summary.h"
#include "run/record/append_file.h"
#include "run/record/epoch_gate.h"
#include "run/record/metrics_record.h"
#include "run/record/plan_watch.h"
#include "run/record/record_budget.h"
#include "run/record/repeat_filter.h"
#include "run/record/space_reserve.h"
#include "run/record/telemetry_record.h"
#include "run/record/trace_record.h"
#include "telemetry/data/run_data.h"

namespace ringside {

// Writes a run directory while the run goes on: telemetry.jsonl, metrics.jsonl, log.txt, at the end summary.json.
// When the disk is full or fails, recording stops and a line of the log says so: the ranks can still save their
// weights. The constructor, startAgain() and writeSummary() throw IoError.
class RunRecorder {
  public:
    RunRecorder(const RunPaths& paths, const PreparedRun& run);

    // An event from a rank with the line it came as; returns RunChange bits.
    unsigned take(const Event& event, std::string_view line);
    // What ranks repeat after a restart is left out.
    unsigned add(const Event& event);  // an event of the supervisor's own
    void flush();
    // The run directory was lost and made again: everything from now on goes to new files, which begin with this line.
    void startAgain(std::string_view firstLine);
    // The disk took no more or failed, and recording has stopped.
    struct FullDisk {
        std::int64_t step = 0;  // the last that was recorded
        std::string why;
    };
    const std::optional<FullDisk>& fullDisk() const { return m_full; }
    // Adds the end line and writes summary.json. Returns the end with steps and rates filled in from what was recorded;
    // a failure, when the disk refused a part of it.
    RunEnded finish(RunEnded end);
    // Writes summary.json of a run with this outcome; steps and rates are filled in. Throws IoError.
    void writeSummary(RunEnded end) const;

    void countRestart() { ++m_restarts; }

    const RunData& data() const { return m_data; }  // without curves
    // Steps the run has done, logged or not (training.log_every).
    std::int64_t stepsDone() const;

  private:
    template <class Write>
    void unlessFull(Write&& write);
    unsigned recordNew(const Event& event, std::string_view line);
    void note(const Event& event);
    void noteTraining(const RankState& state);
    void warnOfInstructionSets();
    std::optional<std::vector<std::string>> instructionSets() const;
    BitsBasis bitsBasis() const;
    void writeLog(const LogLine& line);
    void stopRecording(const std::string& why);
    void addLastWords(const Event& event, std::string_view line);
    void tellLeftOut();
    std::int64_t bytesOfOthers() const;
    void sayFull(RunEnded& end) const;
    double samplesDone(std::int64_t steps) const;
    void measure(RunEnded& end) const;
    void judgeTime(RunEnded& end);
    void addOpenSteps();
    std::optional<Straggler> straggler() const;
    RunSummary summary(const RunEnded& end) const;
    std::int64_t nonFiniteBatches() const;
    double dataWaitShare() const;
    Recording recording() const;
    FinalMetrics finalMetrics() const;
    BestMetrics bestMetrics() const;
    Json lastManifest() const;
    static std::optional<std::string> weightsSha256(const Json& manifest);
    std::optional<std::vector<RankMemory>> memoryOfRanks() const;
    std::optional<std::vector<std::int64_t>> bytesOfRanks() const;
    std::optional<std::vector<SummaryLink>> linksOfHosts() const;
    void applyFindings(const PlanNews& news);

    const RunPaths m_paths;
    const PreparedRun m_run;
    SpaceReserve m_reserve;
    RecordBudget m_budget;
    EpochGate m_epochs;
    TelemetryRecord m_telemetry;
    MetricsRecord m_metrics;
    AppendFile m_log;
    TraceRecord m_traces;
    RunData m_data;
    RepeatFilter m_repeats;
    std::int64_t m_restarts = 0;
    std::optional<FullDisk> m_full;
    std::size_t m_lastWords = 0;  // bytes written since
    bool m_toldLeftOut = false;
    bool m_warnedOfIsa = false;
    std::int64_t m_measuredUs = 0;
    std::set<int> m_trainingRanks;  // that have begun
    PlanWatch m_watch;
    StepsVerdict m_time;
    std::int64_t m_auditedEpochs = 0;
    std::vector<PlanMismatch> m_mismatches;  // the first of them
    std::int64_t m_trainingFromUs = -1;      // when the last rank began to train
    std::int64_t m_firstStepUs = -1;
};

}  // namespace ringside
