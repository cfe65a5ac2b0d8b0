// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "comm/communicator.h"
#include "parallel/strategy/strategy.h"
#include "telemetry/steps/collective_trace.h"
#include "train/batches/data_share.h"
#include "train/batches/training_batches.h"
#include "train/checkpoint/checkpointer.h"
#include "train/control/layer_progress.h"
#include "train/control/run_control.h"
#include "train/interfaces/step_observer.h"
#include "train/interfaces/trainer_dependencies.h"
#include "train/observe/step_report.h"
#include "train/replicas/replica_probe.h"
#include "train/throttle/phase_throttle.h"
#include "train/trace/step_tracer.h"

namespace ringside {

// Records the collectives of the communicator from construction to destruction. Must be constructed before the strategy
// creates sub-groups of the communicator, and destroyed after the sub-groups.
class TracedCommunicator {
  public:
    TracedCommunicator(Communicator& communicator, CollectiveTrace* trace) : m_communicator(communicator) {
        communicator.setTrace(trace);
    }
    ~TracedCommunicator() { m_communicator.setTrace(nullptr); }
    TracedCommunicator(const TracedCommunicator&) = delete;
    TracedCommunicator& operator=(const TracedCommunicator&) = delete;

  private:
    Communicator& m_communicator;
};

// Observers of the steps of a rank, which do not change the results: tracing, slow motion, reports, inspection of
// replicas, emulation of a slower device.
//
// This object must be constructed before the model and the strategy, because they call it. addObservers() then adds the
// observers that read the model and the strategy.
class StepInstruments {
  public:
    // Objects that the observers of a step read. Each must exist until the last step has ended.
    struct Observed {
        const Loss& loss;
        Strategy& strategy;
        TrainingBatches& batches;
        Checkpointer& checkpoints;
        RunControl& control;
    };

    // Both arguments must outlive this object.
    StepInstruments(const TrainerDependencies& dependencies, const DataShare& share);

    // Sets the members of `strategy` through which the strategy calls this object.
    void addCallbacksTo(StrategyDependencies& strategy);
    // Creates all observers in the order in which they are called. Call once, before the first step.
    void addObservers(const Observed& observed);

    StepObservers& steps() { return m_steps; }
    StepReport& stepReport() { return *m_stepReport; }  // returns the report; call after addObservers()
    // True if neither the current step nor step number `next` is traced or inspected.
    bool mayRunAhead(std::int64_t next) const {
        return !m_tracer.isTracing() && !m_tracer.willTrace(next) && m_replicas.isIdle();
    }
    StepTracer& tracer() { return m_tracer; }
    const StepTracer& tracer() const { return m_tracer; }
    ReplicaProbe& replicaProbe() { return m_replicas; }

  private:
    void reportAction(const PipelineAction& action, double share);

    const TrainerDependencies& m_dependencies;
    const DataShare& m_share;
    CollectiveTrace m_collectives;
    TracedCommunicator m_tracedCommunicator;
    PhaseThrottle m_phaseThrottle;
    LayerProgress m_layerProgress{m_phaseThrottle};
    ReplicaProbe m_replicas;
    StepTracer m_tracer;
    RunControl* m_control = nullptr;     // set by addObservers(); null before
    StepReport* m_stepReport = nullptr;  // set by addObservers(); owned by m_steps; null before
    StepObservers m_steps;
};

}  // namespace ringside
