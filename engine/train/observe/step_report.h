// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "config/mesh.h"
#include "nn/models/loss.h"
#include "parallel/strategy/strategy.h"
#include "train/batches/training_batches.h"
#include "train/checkpoint/checkpointer.h"
#include "train/interfaces/step_observer.h"
#include "train/interfaces/trainer_dependencies.h"
#include "train/trace/step_tracer.h"

namespace ringside {

// Reports the results of every step that training.log_every selects, and of every step whose loss is not finite.
class StepReport final : public StepObserver {
  public:
    // All references must outlive this object.
    struct Dependencies {
        const TrainerDependencies& trainer;
        const RankLayout& layout;
        const Loss& loss;
        Strategy& strategy;
        TrainingBatches& batches;
        StepTracer& tracer;
        const Checkpointer& checkpoints;
    };
    explicit StepReport(const Dependencies& dependencies) : m_dependencies(dependencies) {}

    // Sets the number of steps of the whole run. Call before the first step.
    void setPlannedSteps(std::int64_t steps) { m_plannedSteps = steps; }
    // True if the gradient norm must be measured in this step. Call once per step, before the update.
    bool measuresNorm(std::int64_t step);
    // Reports the results of the step. If the loss is not finite and training.on_non_finite is stop, throws
    // TrainingError or CommError.
    void endStep(const FinishedStep& step) override;

  private:
    bool isLogged(std::int64_t step) const { return step % m_dependencies.trainer.config.training.logEvery == 0; }
    StepRecord recordOf(const FinishedStep& step);
    void reportNonFinite(const FinishedStep& step);
    std::string lossText(const FinishedStep& step) const;  // returns the error text for a step whose loss is not finite

    Dependencies m_dependencies;
    std::int64_t m_plannedSteps = 0;
    // time at which the gradient norm was last measured, in microseconds; empty if it has not been measured
    std::optional<std::int64_t> m_normUs;
    bool m_reportedNonFinite = false;
};

}  // namespace ringside
