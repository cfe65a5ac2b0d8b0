// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/mesh.h"
#include "model/model_description.h"
#include "nn/optimizers/learning_rate_schedule.h"
#include "parallel/strategy/strategy.h"
#include "sampling/plan/shard_plan.h"
#include "train/checkpoint/checkpoint_keeper.h"
#include "train/control/layer_show.h"
#include "train/control/run_control.h"
#include "train/control/step_agreement.h"
#include "train/loop/batch_gatherer.h"
#include "train/loop/index_report.h"
#include "train/loop/link_watch.h"
#include "train/pace/pacer.h"
#include "train/parts/metric_sums.h"
#include "train/parts/trainer_parts.h"
#include "train/replicas/replica_probe.h"
#include "train/trace/slow_phase.h"
#include "train/trace/step_tracer.h"

namespace ringside {

enum class TrainOutcome { kFinished, kStopped };

// Training loop of one rank, from the first epoch or a checkpoint to the final weights.
//
// Each epoch trains its steps (trainEpoch), evaluates the validation data (validate) and reports the results. A step
// computes the gradients of its micro-batches, averages them and updates the weights through the Strategy; the ranks
// then agree on control commands (StepAgreement) and execute them (RunControl). All ranks run the same loop and make
// the same collective calls in the same order; rank 0 also reports results of the whole run and writes checkpoints.
//
// Thread safety: one thread, except stepUnderWay().
class Trainer {
  public:
    // Builds the model and the strategy. Throws TrainingError when configuration and data do not fit together.
    explicit Trainer(const TrainerParts& parts);

    // Trains until the configured epochs or steps are done or a stop command arrives. Throws TrainingError for a loss
    // that is not finite (if training.on_non_finite is stop), an invalid label or a checkpoint that does not fit, and
    // CommError when a peer fails.
    TrainOutcome run();

    Model& model() { return *m_model; }
    std::int64_t steps() const { return m_position.step; }
    StepTracer& tracer() { return m_tracer; }  // call between two steps only
    // Returns the unfinished trace of the current step, if the step is traced. Callable from any thread.
    std::optional<StepTrace> stepUnderWay() const { return m_tracer.soFar(); }

  private:
    struct BatchRange {
        std::int64_t first;
        std::int64_t last;
    };
    // Sums over the samples of one step on this rank.
    struct StepSums {
        double loss = 0;
        double correct = 0;
        std::size_t samples = 0;
        void add(const SampleLosses& losses);
        double meanLoss() const { return loss / static_cast<double>(samples); }
    };

    std::int64_t predictedPeak() const;
    void reportTraffic(std::int64_t bytes);
    void logSmallShard(const ShardPlan& plan);
    void checkShard(const ShardPlan& plan) const;
    void resume();
    bool trainEpoch();  // trains the rest of the current epoch; false: stopped by request
    // Makes one optimizer step from the batches [first, last) of the epoch. Returns false to stop.
    bool trainStep(const ShardPlan& plan, BatchRange batches);
    bool trainSteps(const ShardPlan& plan);
    void passed(Phase phase);
    void acting(const PipelineAction& action, double share);
    void leaveEarly();
    bool isLeavingEarly(std::int64_t batches) const;
    void tellPace();
    void checkPace() const;
    std::int64_t ownParameters() const;
    Batch nextTrainingBatch();
    Batch nextValidationBatch();
    bool isLogged() const;     // true if the current step is logged
    bool gradientNormIsDue();  // true if this step must measure the norm; records the time
    bool evaluate(const ShardPlan& plan, MetricSums& sums);
    void normalize();
    void reportNonFinite(double loss);
    std::string lossText(double loss) const;  // error text for a loss that is not finite
    bool validate();                          // false: stopped by request
    void saveNow();                           // called between two steps, or between two validation batches
    RunControl::Actions controlActions();

    void reportStep(const StepResult& result, const StepSums& sums);
    void reportResult(const char* split, MetricSums& sums);
    void reportEpochEnd();
    void finishTrace();
    void reportReplica();
    void reportMemory();
    bool hasEnoughSteps() const;           // true once training.max_steps are done
    std::int64_t trainingBatches() const;  // number of batches in the current epoch
    bool isRankZero() const { return m_parts.communicator.rank() == 0; }

    // Records the communicator's collectives while it exists. It must be built before the strategy splits groups off
    // the communicator, and destroyed after them.
    class TracedCommunicator {
      public:
        TracedCommunicator(Communicator& communicator, CollectiveTrace* trace) : m_communicator(communicator) {
            communicator.traceInto(trace);
        }
        ~TracedCommunicator() { m_communicator.traceInto(nullptr); }
        TracedCommunicator(const TracedCommunicator&) = delete;
        TracedCommunicator& operator=(const TracedCommunicator&) = delete;

      private:
        Communicator& m_communicator;
    };

    TrainerParts m_parts;
    CollectiveTrace m_collectives;
    TracedCommunicator m_tracedCommunicator;
    RankLayout m_layout;
    ModelTask m_task;
    Pacer m_pacer;  // must outlive the models that it watches
    LayerShow m_layerShow{m_pacer};
    std::unique_ptr<Model> m_model;
    std::unique_ptr<Loss> m_loss;
    ReplicaProbe m_replicas;
    std::unique_ptr<Strategy> m_strategy;
    LearningRateSchedule m_schedule;
    std::unique_ptr<BatchMemory> m_hostMemory;
    BatchGatherer m_trainingGatherer;
    BatchGatherer m_validationGatherer;
    std::optional<ShardPlan> m_validationPlan;  // empty without validation samples
    IndexReport m_indexReport;
    LinkWatch m_linkWatch;
    std::vector<std::int64_t> m_consumed;  // sample indices trained in this epoch, in order
    std::int64_t m_dataUs = 0;             // time spent waiting for batches since the last logged step, in microseconds
    std::int64_t m_nowUs = 0;              // time at which the last batch was ready
    std::optional<std::int64_t> m_normUs;  // time of the last gradient-norm measurement
    CheckpointKeeper m_checkpoints;
    StepAgreement m_agreement;
    RunControl m_control;
    std::int64_t m_epochs;         // total number of epochs to train
    std::int64_t m_ownParameters;  // number of parameters that this rank updates
    StepTracer m_tracer;
    SlowPhase m_slowPhase;
    std::int64_t m_plannedSteps = 0;
    TrainingPosition m_position;
    bool m_sumsReduced = false;  // true if m_position.sums are already summed over all ranks
    bool m_toldNonFinite = false;
    int m_trafficTold = 0;          // number of full-batch steps whose traffic was reported
    std::int64_t m_wholeBatch = 0;  // rows of each batch except an epoch's last
};

}  // namespace ringside
