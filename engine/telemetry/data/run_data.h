// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/run_config.h"
#include "telemetry/curves/series.h"
#include "telemetry/curves/throughput.h"
#include "telemetry/data/rank_data.h"
#include "telemetry/data/replica_data.h"
#include "telemetry/data/run_curves.h"
#include "telemetry/data/run_pauses.h"
#include "telemetry/data/step_merger.h"
#include "telemetry/data/trace_data.h"
#include "telemetry/events/events.h"

namespace ringside {

// Parts of a RunData that an event changed, as a bit set.
enum RunChange : unsigned {
    kRunStartedChanged = 1U << 0,
    kRanksChanged = 1U << 1,
    kStepsChanged = 1U << 2,
    kEpochsChanged = 1U << 3,
    kLogChanged = 1U << 4,
    kEndChanged = 1U << 5,
    kCheckpointsChanged = 1U << 6,
    kConsumedChanged = 1U << 7,
    kControlChanged = 1U << 8,
    kTraceChanged = 1U << 9,
    kReplicasChanged = 1U << 10
};

// Settings of an experiment that affect the meaning of its results.
struct RunSettings {
    ThrottleConfig throttle;
    std::optional<StrategyKind> strategy;  // strategy of the run; empty before the "run" event
    bool mayChangeSize = false;            // true if parallel.min_ranks is set
    StepPitfalls stepPitfalls;
    bool repeatsOrder = false;  // true if set_epoch is never called, so that all epochs have the same order
    double learningRateAtFirst = 0;
};

// State of one run, live or finished, built from its events alone, in bounded memory. Not thread-safe.
//
// Has more than 40 methods: one take() for each kind of event, and the accessors of RunCurves, RunPauses and
// RunSettings, so that readers use a single object for a run. The next apply() invalidates references to elements of
// the returned containers.
class RunData {
  public:
    explicit RunData(Curves curves = Curves::kKept) : m_curves(curves) {}

    static constexpr std::size_t kMaxLogLines = 5000;
    static constexpr std::size_t kMaxIndices = 1U << 21;  // maximum number of stored indices: 16 MiB

    unsigned apply(const Event& event);  // applies the event and returns RunChange bits

    const std::optional<RunStarted>& started() const { return m_started; }
    const std::optional<RunEnded>& ended() const { return m_ended; }
    const std::vector<RankData>& ranks() const { return m_ranks; }
    // Describes the clocks of up to four hosts other than the host of the run: "node2 +1.84 ms, known to 0.06 ms, round
    // trip 0.12 ms".
    std::string clocksText() const;
    // Returns the curve of the training loss: mean over the global batch, with minimum and maximum over the ranks.
    const Series& loss() const { return m_curves.loss(); }
    // Returns the curve of the accuracy per step; empty for regression.
    const Series& accuracy() const { return m_curves.accuracy(); }
    const Series& samplesPerSecond() const { return m_curves.throughput(); }
    const Series& gradientNorm() const { return m_curves.gradientNorm(); }
    const Series& learningRate() const { return m_curves.learningRate(); }
    // Returns the curve of the time of a phase in traced steps, in milliseconds, as the mean over the ranks. All phases
    // have the same steps.
    const Series& phaseTime(Phase phase) const { return m_curves.phaseTime(phase); }
    const std::vector<EpochResult>& trainingEpochs() const { return m_trainingEpochs; }
    const std::vector<EpochResult>& validationEpochs() const { return m_validationEpochs; }
    const std::deque<LogLine>& log() const { return m_log; }
    std::int64_t logLinesDropped() const { return m_logLinesDropped; }
    const std::vector<CheckpointSaved>& checkpoints() const { return m_checkpoints; }
    // Returns the latest traced steps; empty before the "run" event.
    const std::optional<TraceData>& trace() const { return m_trace; }
    const ReplicaData& replicas() const { return m_replicas; }
    bool keepsThrottle() const;  // returns false if a pass of any rank takes longer than parallel.pace requests
    const ThrottleConfig& throttle() const { return m_settings.throttle; }
    std::optional<StrategyKind> strategy() const { return m_settings.strategy; }
    const StepPitfalls& stepPitfalls() const { return m_settings.stepPitfalls; }
    bool repeatsOrder() const { return m_settings.repeatsOrder; }
    double learningRateAtFirst() const { return m_settings.learningRateAtFirst; }
    // True while ranks report each phase that they enter: if the run is paused or slow motion limits its rate.
    bool showsPhases() const { return !m_ended && m_pauses.showsPhases(); }
    const std::optional<GlobalStep>& lastStep() const { return m_lastStep; }
    std::int64_t totalSteps() const;  // returns the planned number of steps; 0 before the "run" event
    std::int64_t epochs() const;      // returns the planned number of epochs, as changed by control commands
    const std::vector<Controlled>& controls() const { return m_pauses.controls(); }
    bool isPaused() const { return m_pauses.isPaused(); }
    // Returns the phase after which the run is paused; call only while isPaused().
    std::optional<Phase> pausedAfter() const { return m_pauses.pausedAfter(); }
    // Returns the maximum rate that slow motion sets, in steps per second; 0: full speed.
    double stepsPerSecondAtMost() const { return m_pauses.rate(); }
    // Returns the total time that the run was paused, up to the latest event, in microseconds.
    std::int64_t pausedUs() const { return m_pauses.pausedUs(m_lastTimeUs); }
    std::int64_t lastTimeUs() const { return m_lastTimeUs; }
    // Returns the number of steps per second over the last 20 seconds; empty before there are two steps.
    std::optional<double> stepsPerSecond() const { return m_throughput.stepsPerSecond(); }
    // Returns the remaining time of the run at the current rate, in seconds; empty before the first steps.
    std::optional<double> secondsLeft() const;

    // Function that is called for each completed step of the whole run, for example to write metrics.jsonl. May be
    // empty.
    std::function<void(const GlobalStep&)> onGlobalStep;

  private:
    unsigned take(const RunStarted& event);
    unsigned continueRun(const RunStarted& event);
    void begin(const RunStarted& event);  // creates the members whose size depends on the number of ranks
    unsigned take(const RankState& event);
    unsigned take(const StepsFrame& event);
    unsigned take(const Heartbeat& event);
    unsigned take(const EpochResult& event);
    unsigned take(const Consumed& event);
    unsigned take(const ConsumedIndices& event);
    unsigned take(const Replica& event);
    unsigned take(const LogLine& event);
    unsigned take(const CheckpointSaved& event);
    unsigned take(const Controlled& event);
    unsigned take(const RunEnded& event);
    unsigned take(const StepTrace& event);
    unsigned take(const GradientView& event);
    unsigned take(const PhaseReached& event);
    // Ignore the events of watched scripts, which this class does not store.
    static unsigned take(const LoggedScalar&) { return 0; }
    static unsigned take(const Finding&) { return 0; }
    static unsigned take(const ScriptFacts&) { return 0; }
    // Store the events of which only the latest of each rank is kept.
    template <class Latest>
    unsigned take(const Latest& event);

    RankData* rank(int index);
    void seen(RankData& rank, std::int64_t timeUs);
    void applyGlobal(const GlobalStep& global);
    void compareReplicas(const std::map<int, Replica>& replicas);

    struct RankThroughput {
        Throughput throughput{1000000};
        std::int64_t samples = 0;
    };
    // Window over which the rate for the remaining time is measured, in microseconds.
    static constexpr std::int64_t kThroughputWindowUs = 20'000'000;

    std::optional<RunStarted> m_started;
    std::optional<RunEnded> m_ended;
    RunSettings m_settings;
    std::vector<RankData> m_ranks;
    std::vector<std::size_t> m_indicesHeld;  // number of stored indices, by rank
    std::vector<RankThroughput> m_rankThroughput;
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
    std::int64_t m_lastTimeUs = 0;
};

}  // namespace ringside
