// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "comm/communicator.h"
#include "config/run_config.h"
#include "data/dataset.h"
#include "nn/learning_rate_schedule.h"
#include "parallel/strategy.h"
#include "sampling/shard_plan.h"
#include "train/batch_gatherer.h"
#include "train/control.h"
#include "train/metric_sums.h"
#include "train/trainer_observer.h"

namespace ringside {

// What one rank trains with; all of it outlives the trainer.
struct TrainerParts {
    const RunConfig& config;
    const DataSplit& data;
    Communicator& communicator;
    Backend& backend;
    TrainerObserver& observer;
    const ControlSource& control;
    std::filesystem::path runDirectory;  // checkpoints go here; empty: none are written
};

enum class TrainOutcome { kFinished, kStopped };

// One rank's training from the first epoch to the final weights. Every rank runs the same loop; rank 0 also reports
// results that belong to all of them and writes checkpoints.
class Trainer {
  public:
    // Builds the model; throws TrainingError when configuration and data do not fit together.
    explicit Trainer(const TrainerParts& parts);

    // Throws TrainingError for a loss that is not finite or a label that is no class, CommError when a peer is gone.
    TrainOutcome run();

    Model& model() { return *m_model; }
    std::int64_t steps() const { return m_step; }

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

    void checkShard(const ShardPlan& plan) const;
    bool trainEpoch(std::int64_t epoch);  // false: stopped by request
    // One optimizer step from the batches [first, last) of the epoch.
    bool trainStep(const ShardPlan& plan, std::int64_t epoch, BatchRange batches, MetricSums& sums);
    Batch nextTrainingBatch(const ShardPlan& plan, SlotRange range);
    std::string lossText(double loss) const;  // of a loss that is not finite
    bool validate(std::int64_t epoch);        // false: stopped on the way
    bool stopAgreed();
    void save(std::int64_t epochsDone);

    Batch nextBatch(BatchGatherer& gatherer, const ShardPlan& plan, SlotRange range);
    void reportStep(std::int64_t epoch, const StepResult& result, const StepSums& sums);
    void reportResult(std::int64_t epoch, const char* split, MetricSums& sums);
    void reportEpochEnd(std::int64_t epoch);
    bool isRankZero() const { return m_parts.communicator.rank() == 0; }

    TrainerParts m_parts;
    std::unique_ptr<Model> m_model;
    std::unique_ptr<Loss> m_loss;
    std::unique_ptr<Strategy> m_strategy;
    LearningRateSchedule m_schedule;
    BatchGatherer m_trainingGatherer;
    BatchGatherer m_validationGatherer;
    std::optional<ShardPlan> m_validationPlan;  // none without validation samples
    std::vector<std::int64_t> m_indices;        // of the batch under way
    std::vector<std::int64_t> m_consumed;       // of the epoch, in order
    std::int64_t m_step = 0;                    // optimizer steps done
    std::int64_t m_savedStep = -1;
};

}  // namespace ringside
