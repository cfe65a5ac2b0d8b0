// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/system/unique_fd.h"
#include "config/choices.h"
#include "telemetry/steps/collective_trace.h"
#include "telemetry/steps/step_trace.h"

namespace ringside {

struct TracerOptions {
    // detail of the traces; kOff: only steps whose recording was requested are traced
    TraceLevel trace = TraceLevel::kPhases;
    int rank = 0;
    int worldSize = 1;
};

// Selects the steps of a rank that are traced, and assembles a trace from the recorded times.
//
// All ranks trace the same steps: every k-th one. Rank 0 measures the duration of steps and proposes k
// (suggestedInterval()); the ranks agree on k (StepAgreement). k is larger if steps are short, so that tracing costs
// little.
//
// Thread safety: the training thread only, except unfinishedTrace().
class StepTracer final : private PhaseListener {
  public:
    // `phases` and `collectives` must outlive the tracer.
    StepTracer(const TracerOptions& options, PhaseTrack& phases, CollectiveTrace& collectives);
    ~StepTracer() override;
    StepTracer(const StepTracer&) = delete;
    StepTracer& operator=(const StepTracer&) = delete;

    // Starts a step. Call before its first batch is fetched. runStartNs: current estimate of the start of the run on
    // CLOCK_MONOTONIC. watched: traces the step in any case, because the user inspects it; must be the same on all
    // ranks.
    void begin(std::int64_t step, std::int64_t epoch, std::int64_t runStartNs = 0, bool watched = false);
    // Returns the time spent in each phase of the step, or null if the step is not traced. Call at the end of the
    // step's work.
    const PhaseTimes* phaseTimes();
    // Ends the step. Returns its trace, or null if the step is not traced or only the time per phase is recorded. The
    // trace is valid until the next begin().
    const StepTrace* end();

    // Returns the trace of the current, unfinished step; empty if it is not traced. The trace has length -1, and its
    // last phase is the current one. Callable from any thread.
    std::optional<StepTrace> unfinishedTrace() const;

    // Returns the interval k that suits the present duration of steps; empty if k need not change. Rank 0 only.
    std::optional<std::int64_t> suggestedInterval();
    // Sets the interval k: every k-th step is traced. Call on all ranks between the same two steps.
    void setInterval(std::int64_t steps);
    // Sets the shares of the model's work that the strategy assigns to this rank. Each trace contains them.
    void setPlannedShares(const PlannedShares& planned) { m_trace.planned = planned; }
    void recordSteps(std::int64_t steps);  // records the next `steps` steps in detail
    // Suspends tracing or resumes it. Used to measure the cost of tracing.
    void setSuspended(bool resting) { m_isSuspended = resting; }

    bool isTracing() const { return m_active; }  // returns true if the current step is traced
    // True if step number `step` will be traced, either as every k-th step or because its recording was requested.
    bool willTrace(std::int64_t step) const {
        return step < m_recordUntil || (!isOff() && !m_isSuspended && step % m_interval == 0);
    }
    bool isOff() const { return m_options.trace == TraceLevel::kOff; }
    std::int64_t interval() const { return m_interval; }

  private:
    void onPhaseEnd(Phase phase, Phase next) override;
    bool isRecording() const { return m_step < m_recordUntil; }
    // True if complete traces are reported; false if only the time per phase is reported.
    bool reportsWholeTraces() const { return m_options.trace != TraceLevel::kSteps || isRecording(); }
    void reserve();
    void fillTrace(std::int64_t nowNs);
    void fillMessages();
    void beginUnfinishedTrace();
    void endUnfinishedTrace();
    std::int64_t readCpuWaitNs();

    const TracerOptions m_options;
    PhaseTrack& m_phases;
    CollectiveTrace& m_collectives;
    UniqueFd m_schedule;  // file /proc/thread-self/schedstat, from which the waiting time for a CPU is read
    std::vector<PhaseStamp> m_stamps;
    StepTrace m_trace;
    mutable std::mutex m_mutex;
    StepTrace
        // trace of the current step, guarded by m_mutex; contains no phases if the step is not traced
        m_unfinishedTrace;
    PhaseTimes m_sums{};
    std::int64_t m_step = 0;
    bool m_active = false;
    bool m_isSuspended = false;
    std::int64_t m_runStartNs = 0;
    std::int64_t m_beganNs = 0;
    std::int64_t m_beganCpuNs = 0;
    std::int64_t m_beganQueuedNs = 0;
    std::int64_t m_interval = 1;
    std::int64_t m_recordUntil = 0;  // number of the first step after the steps that are recorded in detail
    std::int64_t m_paceStep = 0;     // number of the step at which the present measurement of the steps' duration began
    std::int64_t m_paceNs = 0;
};

}  // namespace ringside
