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

// One rank's training from the first epoch to the final weights. Every rank runs the same loop; rank 0 also reports
// results that belong to all of them and writes checkpoints.
class Trainer {
  public:
    // Builds the model; throws TrainingError when configuration and data do not fit together.
    explicit Trainer(const TrainerParts& parts);

    // Throws TrainingError for a loss that is not finite (unless told to go on), a label that is no class or a
    // checkpoint that does not fit, CommError when a peer is gone.
    TrainOutcome run();

    Model& model() { return *m_model; }
    std::int64_t steps() const { return m_position.step; }
    StepTracer& tracer() { return m_tracer; }  // between two steps, as they are
    // Any thread: the step under way, where it is traced.
    std::optional<StepTrace> stepUnderWay() const { return m_tracer.soFar(); }

  private:
    struct BatchRange {
        std::int64_t first;
        std::int64_t last;
    };
    // Over the samples of one step on this rank.
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
    bool trainEpoch();  // the rest of the epoch under way; false: stopped by request
    // One optimizer step from the batches [first, last) of the epoch.
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
    bool isLogged() const;     // the step under way
    bool gradientNormIsDue();  // and counts as measured
    bool evaluate(const ShardPlan& plan, MetricSums& sums);
    void normalize();
    void reportNonFinite(double loss);
    std::string lossText(double loss) const;  // of a loss that is not finite
    bool validate();                          // false: stopped on the way
    void saveNow();                           // between two steps, or batches of a validation
    RunControl::Actions controlActions();

    void reportStep(const StepResult& result, const StepSums& sums);
    void reportResult(const char* split, MetricSums& sums);
    void reportEpochEnd();
    void finishTrace();
    void reportReplica();
    void reportMemory();
    bool hasEnoughSteps() const;           // training.max_steps
    std::int64_t trainingBatches() const;  // of the epoch under way
    bool isRankZero() const { return m_parts.communicator.rank() == 0; }

    // Attached to the communicator before the strategy splits groups off it, and taken back when all are gone.
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
    Pacer m_pacer;  // outlives the models that it watches
    LayerShow m_layerShow{m_pacer};
    std::unique_ptr<Model> m_model;
    std::unique_ptr<Loss> m_loss;
    ReplicaProbe m_replicas;
    std::unique_ptr<Strategy> m_strategy;
    LearningRateSchedule m_schedule;
    std::unique_ptr<BatchMemory> m_hostMemory;
    BatchGatherer m_trainingGatherer;
    BatchGatherer m_validationGatherer;
    std::optional<ShardPlan> m_validationPlan;  // none without validation samples
    IndexReport m_indexReport;
    LinkWatch m_linkWatch;
    std::vector<std::int64_t> m_consumed;  // of the epoch, in order
    std::int64_t m_dataUs = 0;             // waited for batches since the last logged step
    std::int64_t m_nowUs = 0;              // when the last batch was there
    std::optional<std::int64_t> m_normUs;  // when the gradient's norm was measured last
    CheckpointKeeper m_checkpoints;
    StepAgreement m_agreement;
    RunControl m_control;
    std::int64_t m_epochs;         // in all
    std::int64_t m_ownParameters;  // that this rank updates
    StepTracer m_tracer;
    SlowPhase m_slowPhase;
    std::int64_t m_plannedSteps = 0;
    TrainingPosition m_position;
    bool m_sumsReduced = false;  // of the position: they are all ranks' already
    bool m_toldNonFinite = false;
    int m_trafficTold = 0;          // steps of whole batches whose bytes were told
    std::int64_t m_wholeBatch = 0;  // rows of every batch but an epoch's last
};

}  // namespace ringside
