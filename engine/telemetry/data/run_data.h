// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "telemetry/curves/throughput.h"
#include "telemetry/data/rank_data.h"
#include "telemetry/data/replica_data.h"
#include "telemetry/data/run_change.h"
#include "telemetry/data/run_curves.h"
#include "telemetry/data/run_pauses.h"
#include "telemetry/data/run_ranks.h"
#include "telemetry/data/run_settings.h"
#include "telemetry/data/step_merger.h"
#include "telemetry/events/events.h"
#include "telemetry/traces/trace_data.h"

namespace ringside {

// State of one run, live or finished, computed only from the run's events, in bounded memory. Not thread-safe. The next
// call of apply() invalidates references to elements of the returned containers.
class RunData {
  public:
    explicit RunData(Curves curves = Curves::kKept) : m_ranks(curves != Curves::kGlobal), m_curves(curves) {}

    static constexpr std::size_t kMaxLogLines = 5000;

    unsigned apply(const Event& event);  // applies the event and returns the changed parts as RunChange bits

    const std::optional<RunStarted>& started() const { return m_started; }
    const std::optional<RunEnded>& ended() const { return m_ended; }
    const std::vector<RankData>& ranks() const { return m_ranks.all(); }
    const RunCurves& curves() const { return m_curves; }
    // Returns the control commands that the run executed, and the resulting pauses and slow motion.
    const RunPauses& pauses() const { return m_pauses; }
    // Returns the settings of the first "run" event.
    const RunSettings& settings() const { return m_settings; }
    const std::vector<EpochResult>& trainingEpochs() const { return m_trainingEpochs; }
    const std::vector<EpochResult>& validationEpochs() const { return m_validationEpochs; }
    const std::deque<LogLine>& log() const { return m_log; }
    std::int64_t logLinesDropped() const { return m_logLinesDropped; }
    const std::vector<CheckpointSaved>& checkpoints() const { return m_checkpoints; }
    // Returns the latest traced steps; empty before the first "run" event.
    const std::optional<TraceData>& trace() const { return m_trace; }
    const ReplicaData& replicas() const { return m_replicas; }
    // True while ranks report each phase that they enter: while the run is paused or in slow motion.
    bool showsPhases() const { return !m_ended && m_pauses.showsPhases(); }
    const std::optional<GlobalStep>& lastStep() const { return m_lastStep; }
    // returns the number of steps that the run is planned to do; 0 before the first "run" event
    std::int64_t totalSteps() const;
    // returns the number of epochs that the run is planned to do, including changes by control commands
    std::int64_t epochs() const;
    // Returns the total time that the run was paused, up to the latest event, in microseconds.
    std::int64_t pausedUs() const { return m_pauses.pausedUs(lastTimeUs()); }
    // Returns the time of the latest event, in microseconds since the start of the run.
    std::int64_t lastTimeUs() const { return std::max(m_lastTimeUs, m_ranks.lastSeenUs()); }
    // Returns the number of steps per second over the last 20 seconds; empty before there are two steps.
    std::optional<double> stepsPerSecond() const { return m_throughput.stepsPerSecond(); }
    // Returns the remaining time of the run at the current rate, in seconds; empty before the first steps.
    std::optional<double> secondsLeft() const;

    // Called for each step that all ranks have reported, for example to write metrics.jsonl. May be empty.
    std::function<void(const GlobalStep&)> onGlobalStep;

  private:
    unsigned applyEvent(const RunStarted& event);
    unsigned continueRun(const RunStarted& event);
    // creates the members whose size depends on the number of ranks, when the first "run" event arrives
    void begin(const RunStarted& event);
    unsigned applyEvent(const StepsFrame& event);
    unsigned applyEvent(const EpochResult& event);
    unsigned applyEvent(const Replica& event);
    unsigned applyEvent(const LogLine& event);
    unsigned applyEvent(const CheckpointSaved& event);
    unsigned applyEvent(const Controlled& event);
    unsigned applyEvent(const RunEnded& event);
    unsigned applyEvent(const StepTrace& event);
    unsigned applyEvent(const GradientView& event);
    // The following three overloads ignore the events of watched scripts, which this class does not store.
    static unsigned applyEvent(const LoggedScalar&) { return 0; }
    static unsigned applyEvent(const Finding&) { return 0; }
    static unsigned applyEvent(const ScriptFacts&) { return 0; }
    // Passes an event of any other type to m_ranks, because the event concerns a single rank.
    template <class RankEvent>
    unsigned applyEvent(const RankEvent& event) {
        return m_ranks.apply(event);
    }

    void applyGlobal(const GlobalStep& global);

    // Time span over which the rate of the run is measured to estimate the remaining time, in microseconds.
    static constexpr std::int64_t kThroughputWindowUs = 20'000'000;

    std::optional<RunStarted> m_started;
    std::optional<RunEnded> m_ended;
    RunSettings m_settings;
    RunRanks m_ranks;
    std::optional<StepMerger> m_merger;
    std::optional<GlobalStep> m_lastStep;
    Throughput m_throughput{kThroughputWindowUs};
    RunCurves m_curves;
    std::optional<TraceData> m_trace;
    std::vector<EpochResult> m_trainingEpochs, m_validationEpochs;
    std::map<std::int64_t, std::map<int, Replica>> m_replicaSets;
    ReplicaData m_replicas;
    std::deque<LogLine> m_log;
    std::int64_t m_logLinesDropped = 0;
    std::vector<CheckpointSaved> m_checkpoints;
    RunPauses m_pauses;
    // time of the latest event that concerns the whole run, in microseconds since the start of the run
    std::int64_t m_lastTimeUs = 0;
};

}  // namespace ringside
