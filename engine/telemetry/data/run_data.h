// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/run_config.h"
#include "telemetry/data/phase_sums.h"
#include "telemetry/data/replica_data.h"
#include "telemetry/data/series.h"
#include "telemetry/data/trace_data.h"
#include "telemetry/events/events.h"

namespace ringside {

// One step of the whole run: means over the global batch, weighted by samples. From thinned lines: several consecutive
// steps.
struct GlobalStep {
    std::int64_t step = 0;       // number of the last step
    std::int64_t firstStep = 0;  // first of the steps; equal to step if there is only one
    std::int64_t steps = 1;      // number of logged steps
    std::int64_t epoch = 0;
    double loss = 0;
    double accuracy = 0;                      // NaN for regression
    double lossMinimum = 0, lossMaximum = 0;  // over ranks and steps
    double accuracyMinimum = 0, accuracyMaximum = 0;
    double gradientNorm = 0;                  // NaN where not measured
    double normMinimum = 0, normMaximum = 0;  // over steps
    double learningRate = 0;
    std::int64_t samples = 0;       // number of samples in this global batch
    std::int64_t samplesSoFar = 0;  // including this step
    std::int64_t timeUs = 0;        // time at which the last rank ended the step
};

// Merges the step frames of all ranks into global steps, in ascending order. A step is merged once every rank has
// reported it. A step that a rank dropped is skipped and counted. Algorithm: step_merger.cpp.
class StepMerger {
  public:
    explicit StepMerger(int worldSize, std::int64_t stepsBefore = 0);
    // Adds a rank's frame and calls sink for each global step that it completes.
    void add(const StepsFrame& frame, const std::function<void(const GlobalStep&)>& sink);
    std::int64_t incompleteSteps() const { return m_incomplete; }

  private:
    struct RankStep {
        std::int64_t step, epoch;
        double loss, gradientNorm, learningRate;
        double correct;
        std::int64_t samples, endUs;
        std::int64_t firstStep, steps;
        double lossMinimum, lossMaximum, accuracyMinimum, accuracyMaximum, normMinimum, normMaximum;
    };
    static RankStep rankStep(const StepsFrame& frame, std::size_t index);
    // Queue that reuses its memory, because thousands of steps a second pass through it.
    class Waiting {
      public:
        bool empty() const { return m_first == m_steps.size(); }
        std::size_t size() const { return m_steps.size() - m_first; }
        const RankStep& front() const { return m_steps[m_first]; }
        const RankStep& back() const { return m_steps.back(); }
        void push(const RankStep& step) { m_steps.push_back(step); }
        void pop();

      private:
        std::vector<RankStep> m_steps;
        std::size_t m_first = 0;
    };
    void emitReady(const std::function<void(const GlobalStep&)>& sink);
    GlobalStep popFronts();
    void countSamples(GlobalStep& global);

    std::vector<Waiting> m_waiting;
    std::int64_t m_samplesSoFar = 0;
    std::int64_t m_lastStep = 0;  // last step that was merged or skipped
    std::int64_t m_lastMergedStep = 0;
    std::int64_t m_largestBatch = 0;
    std::int64_t m_incomplete = 0;
};

// State of one rank, from its events.
struct RankData {
    std::string state;  // from the last RankState
    std::string device;
    std::string host;  // empty: the host of the run
    std::string isa;   // empty: not known
    std::string transport;
    std::string hosts;
    std::int64_t pid = 0;
    std::int64_t step = 0;
    std::int64_t epoch = 0;
    std::optional<Phase> phase;  // none before the first heartbeat
    std::int64_t collective = 0;
    std::int64_t stillUs = 0;     // time without progress, as of the last heartbeat
    std::int64_t beatUs = 0;      // time of the last heartbeat
    double loss = 0;              // NaN before the first step
    double samplesPerSecond = 0;  // over about the last second
    std::int64_t residentBytes = 0;
    GpuReading gpu;  // from its last heartbeat
    std::int64_t droppedSteps = 0;
    std::int64_t lastSeenUs = 0;
    std::int64_t batchSamples = 0;
    std::int64_t dataUs = 0;       // time spent waiting for batches since the first logged step
    std::int64_t firstEndUs = -1;  // end of the first logged step
    std::int64_t elapsedUs = 0;    // time from firstEndUs to the end of the last logged step
    // Returns the share of elapsedUs spent waiting for batches.
    double dataShare() const {
        return elapsedUs > 0 ? static_cast<double>(dataUs) / static_cast<double>(elapsedUs) : 0;
    }
    std::optional<RankMemory> memory;          // memory allocated by its engine
    std::optional<Phase> slowPhase;            // current phase, reported in slow motion and phase by phase only
    int slowLayer = -1;                        // layer of that phase; -1: not reported
    std::string slowAction;                    // action of the pipeline schedule in that phase
    std::optional<LocalResult> local;          // latest validation of this rank alone, if ranks validate separately
    bool keepsPace = true;                     // true if the rank keeps parallel.pace
    double paceTimes = 1;                      // longest pass divided by the requested duration
    std::optional<bool> inSync;                // result of the latest complete set of replica checksums
    std::optional<std::int64_t> bytesPerStep;  // bytes sent per step
    // Offset of its host's clock, on the host's lowest rank only; empty on the host of the run.
    std::optional<HostClock> clock;
    std::optional<RankLinks> links;  // last report about its connections to other hosts
    std::vector<Consumed> consumed;
    std::int64_t consumedCount = 0;  // number of reports, including discarded ones
    // The latest reports; at most RunData::kMaxIndices indices over all ranks.
    std::deque<ConsumedIndices> indices;
    std::int64_t indicesCount = 0;  // number of index reports, including discarded ones
    Series lossSeries{1U << 14};
    Series accuracySeries{1U << 14};
};

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

// Samples per second and steps per second over a sliding window of run time.
class Pace {
  public:
    explicit Pace(std::int64_t windowUs) : m_windowUs(windowUs) {}
    // Adds cumulative counts at a time. Ignored if the time is not later than the previous one.
    void add(std::int64_t timeUs, std::int64_t samples, std::int64_t step);
    std::optional<double> samplesPerSecond() const;  // empty before two points
    std::optional<double> stepsPerSecond() const;

  private:
    struct Mark {
        std::int64_t timeUs, samples, step;
    };
    std::int64_t m_windowUs;
    std::int64_t m_denseUntilUs = 0;  // a mark before this time replaces the last mark
    std::deque<Mark> m_marks;
};

// Curves that a RunData keeps. kKept: all, for display. kGlobal: only those over all ranks, and no sample indices, for
// programs that hold many runs. kLeftOut: none, for programs that only count.
enum class Curves { kKept, kGlobal, kLeftOut };

// State of one run, live or finished, built from its events alone, in bounded memory. Not thread-safe.
// The next apply() invalidates references to elements of the returned containers.
class RunData {
  public:
    explicit RunData(Curves curves = Curves::kKept) : m_curves(curves) {}

    static constexpr std::size_t kMaxLogLines = 5000;
    static constexpr std::size_t kMaxIndices = 1U << 21;  // 16 MiB

    unsigned apply(const Event& event);  // returns RunChange bits

    const std::optional<RunStarted>& started() const { return m_started; }
    const std::optional<RunEnded>& ended() const { return m_ended; }
    const std::vector<RankData>& ranks() const { return m_ranks; }
    // Describes the clocks of up to four hosts other than the host of the run: "node2 +1.84 ms, known to 0.06 ms, round
    // trip 0.12 ms".
    std::string clocksText() const;
    // Returns the training loss: global mean, with minimum and maximum over the ranks
    const Series& loss() const { return m_loss; }
    const Series& accuracy() const { return m_accuracy; }  // empty for regression
    const Series& samplesPerSecond() const { return m_throughput; }
    const Series& gradientNorm() const { return m_gradientNorm; }
    const Series& learningRate() const { return m_learningRate; }
    // Returns the time of a phase in traced steps, in milliseconds, as the mean over the ranks. All phases have the
    // same steps.
    const Series& phaseTime(Phase phase) const { return m_phaseTimes[static_cast<std::size_t>(phase)]; }
    const std::vector<EpochResult>& trainingEpochs() const { return m_trainingEpochs; }
    const std::vector<EpochResult>& validationEpochs() const { return m_validationEpochs; }
    const std::deque<LogLine>& log() const { return m_log; }
    std::int64_t logLinesDropped() const { return m_logLinesDropped; }
    const std::vector<CheckpointSaved>& checkpoints() const { return m_checkpoints; }
    // Returns the latest traced steps; empty before the run line.
    const std::optional<TraceData>& trace() const { return m_trace; }
    const ReplicaData& replicas() const { return m_replicas; }
    bool keepsPace() const;  // true if all ranks do
    // Settings of the experiment that affect how its numbers must be interpreted.
    const PaceConfig& pace() const { return m_runPace; }
    const std::string& strategy() const { return m_strategy; }
    const StepPitfalls& stepPitfalls() const { return m_stepPitfalls; }
    bool repeatsOrder() const { return m_repeatsOrder; }  // true if set_epoch is never called
    double learningRateAtFirst() const { return m_learningRateAtFirst; }
    // True if ranks report the phases of their steps one by one: while paused and in slow motion.
    bool showsPhases() const { return !m_ended && (isPaused() || (m_rate > 0 && m_rate <= kShowsPhasesAt)); }
    static constexpr double kShowsPhasesAt = 5;  // highest rate for this, in steps per second
    const std::optional<GlobalStep>& lastStep() const { return m_lastStep; }
    std::int64_t totalSteps() const;  // planned number of steps, 0 before the run line
    std::int64_t epochs() const;      // planned number of epochs, including later changes
    const std::vector<Controlled>& controls() const { return m_controls; }
    bool isPaused() const { return m_pausedFromUs.has_value(); }
    // Returns the phase after which the run is paused; call only while isPaused().
    const std::string& pausedAfter() const { return m_controls.back().after; }
    double stepsPerSecondAtMost() const { return m_rate; }  // limit set by slow motion; 0: full speed
    std::int64_t pausedUs() const;                          // total time paused, up to the latest event
    std::int64_t lastTimeUs() const { return m_lastTimeUs; }
    // Returns the rate of the last 20 seconds; empty before there are two steps.
    std::optional<double> stepsPerSecond() const { return m_pace.stepsPerSecond(); }
    // Returns the remaining seconds at the current rate; empty before the first steps.
    std::optional<double> secondsLeft() const;

    // Called for each completed global step, for example to write metrics.jsonl. May be empty.
    std::function<void(const GlobalStep&)> onGlobalStep;

  private:
    unsigned take(const RunStarted& event);
    unsigned goOnWith(const RunStarted& event);
    unsigned take(const RankState& event);
    unsigned take(const StepsFrame& event);
    unsigned take(const Heartbeat& event);
    unsigned take(const EpochResult& event);
    unsigned take(const Consumed& event);
    unsigned take(const ConsumedIndices& event);
    unsigned take(const Replica& event);
    unsigned take(const RankMemory& event);
    unsigned take(const RankTraffic& event);
    unsigned take(const HostClock& event);
    unsigned take(const RankLinks& event);
    unsigned take(const LogLine& event);
    unsigned take(const CheckpointSaved& event);
    unsigned take(const Controlled& event);
    unsigned take(const RunEnded& event);
    unsigned take(const StepTrace& event);
    unsigned take(const PaceKept& event);
    unsigned take(const GradientView& event);
    unsigned take(const LocalResult& event);
    unsigned take(const PhaseReached& event);
    // Events of watched scripts are not stored in this class.
    static unsigned take(const LoggedScalar&) { return 0; }
    static unsigned take(const Finding&) { return 0; }
    static unsigned take(const ScriptFacts&) { return 0; }
    RankData* rank(int index);
    SeriesPoint placeOf(std::int64_t step, std::int64_t epoch, std::int64_t samples, std::int64_t timeUs) const;
    static void addPoints(RankData& rank, const StepsFrame& frame, std::size_t index, const SeriesPoint& place);
    void applyGlobal(const GlobalStep& global);
    void addPoints(const GlobalStep& global);
    void addPhases(const StepsFrame& frame);
    void addThroughput(const SeriesPoint& point);
    void addThroughputPoint(const SeriesPoint& from, const SeriesPoint& to);
    void endThroughput();
    void compareReplicas(const std::map<int, Replica>& replicas);

    struct RankPace {
        Pace pace{1000000};
        std::int64_t samples = 0;
    };

    Curves m_curves;
    std::optional<RunStarted> m_started;
    std::optional<RunEnded> m_ended;
    std::vector<RankData> m_ranks;
    std::vector<std::size_t> m_indicesHeld;  // number of stored indices, by rank
    std::optional<StepMerger> m_merger;
    std::optional<TraceData> m_trace;
    std::optional<PhaseSums> m_phaseSums;
    std::array<Series, kPhaseCount> m_phaseTimes;
    Series m_loss, m_accuracy, m_throughput, m_gradientNorm, m_learningRate;
    std::vector<EpochResult> m_trainingEpochs, m_validationEpochs;
    std::map<std::int64_t, std::map<int, Replica>> m_replicaSets;
    ReplicaData m_replicas;
    PaceConfig m_runPace;
    std::string m_strategy;
    bool m_mayChangeSize = false;  // true if parallel.min_ranks is set
    StepPitfalls m_stepPitfalls;
    bool m_repeatsOrder = false;
    double m_learningRateAtFirst = 0;
    std::deque<LogLine> m_log;
    std::int64_t m_logLinesDropped = 0;
    std::vector<CheckpointSaved> m_checkpoints;
    std::vector<Controlled> m_controls;
    std::optional<std::int64_t> m_pausedFromUs;
    std::int64_t m_pausedUs = 0;  // total of the completed pauses
    double m_rate = 0;
    std::optional<std::int64_t> m_epochs;
    std::optional<GlobalStep> m_lastStep;
    std::int64_t m_lastTimeUs = 0;
    std::vector<RankPace> m_rankPaces;
    static constexpr std::int64_t kPaceWindowUs = 20'000'000;  // window for the estimate of the remaining time
    Pace m_pace{kPaceWindowUs};
    // Begin of the interval of the next throughput point, begin of the interval before it, and the last step.
    SeriesPoint m_throughputFrom, m_throughputBefore, m_throughputUntil;
};

}  // namespace ringside
