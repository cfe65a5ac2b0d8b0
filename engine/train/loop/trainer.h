// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "nn/models/loss.h"
#include "nn/models/model.h"
#include "nn/optimizers/learning_rate_schedule.h"
#include "parallel/strategy/strategy.h"
#include "sampling/plan/shard_plan.h"
#include "train/batches/data_share.h"
#include "train/checkpoint/checkpointer.h"
#include "train/control/run_control.h"
#include "train/interfaces/trainer_dependencies.h"
#include "train/loop/epoch_reports.h"
#include "train/loop/rank_batches.h"
#include "train/loop/step_instruments.h"

namespace ringside {

enum class TrainOutcome { kFinished, kStopped };

// Training loop of one rank, from the first epoch or a checkpoint to the final weights.
//
// Each epoch trains its steps (trainEpoch), evaluates the validation data (validate) and reports the results. A step
// computes the gradients of its micro-batches, averages them over the ranks and updates the weights; the Strategy does
// this. Then the ranks exchange control commands and execute them (RunControl). Objects that only observe a step are
// StepObservers and belong to StepInstruments. All ranks run the same loop and make the same collective calls in the
// same order. Rank 0 also reports the results of the run and writes checkpoints.
//
// Thread safety: one thread, except unfinishedTrace().
class Trainer {
  public:
    // Creates the model and the strategy. Throws TrainingError if the configuration cannot be used with the data set.
    explicit Trainer(const TrainerDependencies& dependencies);

    // Trains until the configured number of epochs or steps is done or a stop command arrives. Throws TrainingError if
    // a label is invalid, if the checkpoint does not match the model, or if a loss is not finite and
    // training.on_non_finite is stop. Throws CommError if another rank fails.
    TrainOutcome run();

    Model& model() { return *m_model; }
    StepTracer& tracer() { return m_instruments.tracer(); }  // returns the tracer; call between two steps only
    // Returns the trace of the current, unfinished step; empty if the step is not traced. Callable from any thread.
    std::optional<StepTrace> unfinishedTrace() const { return m_instruments.tracer().unfinishedTrace(); }

  private:
    struct BatchRange {
        std::int64_t first;
        std::int64_t last;
    };
    // Step that was launched on the device and whose results have not been read.
    struct LaunchedStep {
        StepPosition position;
        std::int64_t firstSlot = 0;
        std::span<const std::int64_t> indices;
        BatchRange batches{};  // batches of the epoch that the step trains
        std::int64_t lastRows = 0;
        std::int64_t readyUs = 0;
        // sums of loss and correct predictions over those micro-batches of the step whose losses have been read
        StepSums sums;
    };

    std::unique_ptr<Model> makeModel() const;
    std::unique_ptr<Loss> makeLoss() const;
    std::unique_ptr<Strategy> makeStrategy();
    RunControl::Actions controlActions();

    // resumes from the checkpoint, computes the scale of the samples, and reports that the training starts
    void prepare();
    void resume();
    void normalize();
    bool trainEpoch();  // trains the rest of the current epoch; returns false if a stop command arrived
    bool trainSteps(const ShardPlan& plan);
    // Trains one optimizer step with the given batches of the epoch. Returns false if the training must stop.
    bool trainStep(const ShardPlan& plan, BatchRange batches);
    // Launches a step on the device and reads the results of the previous step. Also reads the results of the launched
    // step if they are needed now: for a pause, a report or the end of the epoch.
    void launchStep(const ShardPlan& plan, const Batch& batch, StepRequest request, const LaunchedStep& step);
    void readStep(const ShardPlan& plan, LaunchedStep step);  // reads the results of the oldest launched step
    void finishStep(const ShardPlan& plan, LaunchedStep step, const StepResult& result);
    // True if the next step may be launched before the results of the current step are read. The result is the same on
    // all ranks.
    bool mayRunAhead(const ShardPlan& plan) const;
    void countSamples(const ShardPlan& plan, std::int64_t batch, const SampleLosses& losses, StepSums& sums);
    bool validate();        // evaluates the model on the validation data; returns false if a stop command arrived
    void saveCheckpoint();  // saves a checkpoint; call between two steps, or between two validation batches
    bool endsOneStepEarly(std::int64_t batches) const;
    void blockForever();
    bool hasEnoughSteps() const;  // returns true if training.max_steps steps are done
    bool isRankZero() const { return m_dependencies.communicator.rank() == 0; }
    void log(LogLevel level, const std::string& text);
    EpochReports reports();

    TrainerDependencies m_dependencies;
    DataShare m_share;
    StepInstruments m_instruments;  // must outlive the model and the strategy, which call it
    std::unique_ptr<Model> m_model;
    std::unique_ptr<Loss> m_loss;
    std::unique_ptr<Strategy> m_strategy;
    LearningRateSchedule m_schedule;
    RankBatches m_data;
    Checkpointer m_checkpoints;
    RunControl m_control;
    TrainingPosition m_position = {};
    std::optional<LaunchedStep> m_inFlight;
    std::int64_t m_epochs = 0;   // total number of epochs to train
    bool m_sumsReduced = false;  // true if m_position.sums already contains the sums of all ranks
};

}  // namespace ringside
