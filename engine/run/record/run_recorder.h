// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "run/read/run_directory.h"
#include "run/read/run_summary.h"
#include "run/record/append_file.h"
#include "run/record/epoch_gate.h"
#include "run/record/metrics_record.h"
#include "run/record/plan_watch.h"
#include "run/record/record_budget.h"
#include "run/record/recorded_run.h"
#include "run/record/repeat_filter.h"
#include "run/record/space_reserve.h"
#include "run/record/telemetry_record.h"
#include "run/record/trace_record.h"
#include "telemetry/data/run_data.h"

namespace ringside {

// Writer of a run directory: telemetry.jsonl, metrics.jsonl and log.txt during the run, summary.json at the end.
//
// If the disk is full or fails, recording stops with a line in the log, and the ranks can still save their weights.
// The constructor, startNewFiles() and writeSummary() throw IoError.
//
// Thread safety: one thread. The object owns a PlanWatch thread, which its destructor joins.
class RunRecorder {
  public:
    // Opens the files, and appends if they exist. Throws IoError.
    RunRecorder(const RunPaths& paths, const RecordedRun& run);

    // Records an event of a rank. line: the same event, encoded without a newline. Skips an event that a restarted rank
    // repeats. Returns which parts of the run's data have changed, as RunChange bits.
    unsigned record(const Event& event, std::string_view line);
    // Records an event of the supervisor itself. Returns which parts of the run's data changed, as RunChange bits.
    unsigned add(const Event& event);
    // Writes buffered lines to the files and records new results of PlanWatch, which compares the trained samples with
    // the sampler. Call a few times a second.
    void flush();
    // Starts new files, with `firstLine` as the first line of telemetry, after the run directory was lost and created
    // again.
    void startNewFiles(std::string_view firstLine);
    // Reason why the run directory is no longer written: a full or failed disk.
    struct FullDisk {
        std::int64_t step = 0;  // number of the last step that is recorded for certain
        std::string why;
    };
    // Returns the step and the reason if recording has stopped; empty while the run directory is written.
    const std::optional<FullDisk>& fullDisk() const { return m_full; }
    // Writes all pending data, summary.json and the end line. Returns `end` with steps and rates from the record. The
    // outcome becomes a failure if the disk refused a part of the record.
    RunEnded finish(RunEnded end);
    // Writes summary.json for the outcome `end`, with steps and rates from the record. Throws IoError.
    void writeSummary(RunEnded end) const;
    // The same, but does not wait for the disk: a launcher may kill this process within milliseconds, and a file that
    // is written survives that. Throws IoError.
    void writeSummaryQuickly(RunEnded end) const;

    // Facts about a watched script that are added to summary.json.
    struct Watched {
        std::optional<SummaryFramework> framework;
        std::optional<std::string> continues;
        std::vector<SummaryFinding> findings;
        std::vector<SummaryCheck> checks;
        std::optional<SummarySamples> samples;
    };
    // Replaces the facts known at the start of a watched run by the facts that its script has reported since. Must be
    // called before finish().
    void complete(RecordedRun run, Watched watched);

    // Counts a restart of the ranks, for RunSummary::restarts.
    void countRestart() { ++m_restarts; }
    // Records epoch results and sample reports again although they were recorded before; see
    // RepeatFilter::acceptRepeatedEpochs().
    void acceptRepeatedEpochs() { m_repeats.acceptRepeatedEpochs(); }

    // Returns the recorded data, without the curves of losses.
    const RunData& data() const { return m_data; }
    // Returns the number of steps done, including steps that were not logged (training.log_every).
    std::int64_t stepsDone() const;

  private:
    template <class Write>
    void writeUnlessFull(Write&& write);
    unsigned recordNew(const Event& event, std::string_view line);
    void handleEvent(const Event& event);
    void recordTrainingState(const RankState& state);
    void warnOfInstructionSets();
    void warnOfDrops(const Heartbeat& beat);
    std::optional<std::vector<std::string>> instructionSets() const;
    BitsBasis bitsBasis() const;
    void writeLog(const LogLine& line);
    void stopRecording(const std::string& why);
    void addFinalEvents(const Event& event, std::string_view line);
    void logLeftOut();
    std::int64_t bytesOfOthers() const;
    void describeFullDisk(RunEnded& end) const;
    double samplesDone(std::int64_t steps) const;
    void measure(RunEnded& end) const;
    void judgeTime(RunEnded& end);
    void addOpenSteps();
    std::optional<Straggler> straggler() const;
    RunSummary summary(const RunEnded& end) const;
    template <class Write>
    void writeSummaries(RunEnded end, const Write& write) const;
    Recording recording() const;
    FinalMetrics finalMetrics() const;
    BestMetrics bestMetrics() const;
    Json lastManifest() const;
    void applyFindings(const PlanResults& news);

    const RunPaths m_paths;
    RecordedRun m_run;
    std::optional<Watched> m_watched;  // facts about a watched script; empty if Ringside trained the model itself
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
    std::int64_t m_flushedStep = 0;  // last step that was in all files when they were last flushed
    std::optional<FullDisk> m_full;
    std::size_t m_finalBytes = 0;  // size of the lines written since recording stopped, in bytes
    std::string m_unwrittenLog;    // log line that did not fit on the full disk; written at the end of the run
    bool m_loggedLeftOut = false;
    bool m_warnedOfIsa = false;
    bool m_warnedOfDrops = false;
    std::int64_t m_measuredUs = 0;
    std::set<int> m_trainingRanks;     // ranks that have begun to train
    std::optional<PlanWatch> m_watch;  // comparison of the trained samples with the plan; empty if no plan is known
    StepsVerdict m_time;
    std::int64_t m_auditedEpochs = 0;
    std::vector<PlanMismatch> m_mismatches;  // the first 16 differences between the trained samples and the plan
    std::int64_t m_trainingFromUs = -1;      // run time at which the last rank began to train, in microseconds; -1: not
                                             // yet
    std::int64_t m_firstStepUs = -1;
};

}  // namespace ringside
