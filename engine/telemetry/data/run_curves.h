// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "telemetry/curves/series.h"
#include "telemetry/data/phase_sums.h"
#include "telemetry/data/rank_data.h"
#include "telemetry/data/step_merger.h"
#include "telemetry/steps/phase.h"

namespace ringside {

// Curves that a RunData keeps. kKept: all curves, for display. kGlobal: only curves over all ranks, and no sample
// indices, for programs that keep many runs in memory. kLeftOut: no curves, for programs that display none.
enum class Curves { kKept, kGlobal, kLeftOut };

// Curves of one run over its steps, in bounded memory.
class RunCurves {
  public:
    explicit RunCurves(Curves kept) : m_kept(kept) {}

    // Creates the curves of the phase times for `worldSize` ranks. Also called when the number of ranks changes.
    void begin(int worldSize);
    // Sets the number of steps in an epoch, from which the epoch of a step is computed; 0: not known.
    void setStepsPerEpoch(std::int64_t steps) { m_stepsPerEpoch = steps; }

    // Adds one step of one rank to the rank's curves. `samples` is the number of samples that the rank has trained from
    // the start to the end of this step.
    void add(RankData& rank, const StepsFrame& frame, std::size_t index, std::int64_t samples) const;
    // Adds the time that a rank spent in each phase of its traced steps. `last` is the latest step that all ranks have
    // reported.
    void addPhases(const StepsFrame& frame, const std::optional<GlobalStep>& last);
    void add(const GlobalStep& step);
    // Adds the last point of the throughput curve. Call at the end of the run.
    void end();

    Curves keptCurves() const { return m_kept; }
    const Series& loss() const { return m_loss; }
    const Series& accuracy() const { return m_accuracy; }
    const Series& throughput() const { return m_throughput; }
    const Series& gradientNorm() const { return m_gradientNorm; }
    const Series& learningRate() const { return m_learningRate; }
    const Series& phaseTime(Phase phase) const { return m_phaseTimes[static_cast<std::size_t>(phase)]; }

  private:
    SeriesPoint pointAt(std::int64_t step, std::int64_t epoch, std::int64_t samples, std::int64_t timeUs) const;
    void addThroughput(const SeriesPoint& point);
    void addThroughputPoint(const SeriesPoint& from, const SeriesPoint& to);

    Curves m_kept;
    std::int64_t m_stepsPerEpoch = 0;
    Series m_loss, m_accuracy, m_throughput, m_gradientNorm, m_learningRate;
    std::optional<PhaseSums> m_phaseSums;
    std::array<Series, kPhaseCount> m_phaseTimes;
    // State of the run at the start of the current interval of the throughput curve, at the start of the previous
    // interval, and at the end of the last step.
    SeriesPoint m_throughputFrom, m_throughputBefore, m_throughputUntil;
};

}  // namespace ringside
