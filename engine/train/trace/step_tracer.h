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
    TraceLevel trace = TraceLevel::kPhases;  // off: only steps recorded on request
    int rank = 0;
    int worldSize = 1;
};

// Decides which steps of a rank are traced, and puts together what was stamped in them. All ranks trace the same steps:
// every k-th, with k agreed upon (StepAgreement) as rank 0 measures how long steps take, so that tracing short steps
// costs little. The training thread's.
class StepTracer final : private PhaseListener {
  public:
    // phases and collectives outlive the tracer.
    StepTracer(const TracerOptions& options, PhaseTrack& phases, CollectiveTrace& collectives);
    ~StepTracer() override;
    StepTracer(const StepTracer&) = delete;
    StepTracer& operator=(const StepTracer&) = delete;

    // Before the first batch of the step is fetched; runStartNs: CLOCK_MONOTONIC at zero of the run's times, as far as
    // it is known now. watched: traced independently of the interval, because a person looks at this step; the same on
    // all ranks.
    void begin(std::int64_t step, std::int64_t epoch, std::int64_t runStartNs = 0, bool watched = false);
    // Where the step's work is done: what it took by phase; nothing for a step that is not traced.
    const PhaseTimes* sums();
    // At the end of the step: the trace to be told; null for a step that is not traced, or whose sums are all that is
    // wanted. Valid until the next begin().
    const StepTrace* end();

    // Any thread: the step under way, if it is traced, as far as it has come: its length is -1, its last phase goes on.
    std::optional<StepTrace> soFar() const;

    // Rank 0: the k that suits the pace of the steps, where that is another than now.
    std::optional<std::int64_t> wantedInterval();
    // On all ranks between the same two steps.
    void setInterval(std::int64_t steps);
    // Recorded with each traced step.
    void setPlanned(const PlannedShares& planned) { m_trace.planned = planned; }
    void record(std::int64_t steps);  // so many whole ones in detail, from the next on
    // Traces nothing while it rests: for who measures what tracing costs.
    void setResting(bool resting) { m_resting = resting; }

    bool isTracing() const { return m_active; }  // the step under way
    bool isOff() const { return m_options.trace == TraceLevel::kOff; }
    std::int64_t interval() const { return m_interval; }

  private:
    void leaving(Phase phase, Phase next) override;
    bool isRecording() const { return m_step < m_recordUntil; }
    bool isTold() const { return m_options.trace != TraceLevel::kSteps || isRecording(); }  // not as sums alone
    void reserve();
    void fill(std::int64_t nowNs);
    void fillMessages();
    void beginSoFar();
    void endSoFar();
    std::int64_t queuedNs();

    const TracerOptions m_options;
    PhaseTrack& m_phases;
    CollectiveTrace& m_collectives;
    UniqueFd m_schedule;  // the training thread's /proc/thread-self/schedstat
    std::vector<PhaseStamp> m_stamps;
    StepTrace m_trace;
    mutable std::mutex m_mutex;
    StepTrace m_soFar;  // guarded by m_mutex; no phases: nothing is traced
    PhaseTimes m_sums{};
    std::int64_t m_step = 0;
    bool m_active = false;
    bool m_resting = false;
    std::int64_t m_runStartNs = 0;
    std::int64_t m_beganNs = 0;
    std::int64_t m_beganCpuNs = 0;
    std::int64_t m_beganQueuedNs = 0;
    std::int64_t m_interval = 1;
    std::int64_t m_recordUntil = 0;  // steps below it are recorded in detail
    std::int64_t m_paceStep = 0;     // where the pace is measured from
    std::int64_t m_paceNs = 0;
};

}  // namespace ringside
