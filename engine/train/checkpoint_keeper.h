// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "parallel/strategy.h"
#include "train/checkpoint.h"
#include "train/metric_sums.h"
#include "train/trainer_parts.h"

namespace ringside {

// How far a training has come: everything before it is done.
struct TrainingPosition {
    std::int64_t step = 0;     // optimizer steps
    std::int64_t epoch = 0;    // the one under way, or the next
    std::int64_t batches = 0;  // of that epoch, done on every rank
    MetricSums sums = {};      // of that epoch, over all ranks; only rank 0 gets them back
};

// Takes a training up where training.resume says, and writes its checkpoints.
class CheckpointKeeper {
  public:
    // All of it outlives the keeper.
    CheckpointKeeper(const TrainerParts& parts, const Model& model, Strategy& strategy)
        : m_parts(parts), m_model(model), m_strategy(strategy) {}

    // Puts weights, the optimizer's state and float16's loss scale back, on every rank; the start where nothing is
    // named. Throws TrainingError.
    TrainingPosition resume();
    // What images are scaled with, for who uses the weights.
    void setScale(const ChannelScale& scale) { m_scale = scale; }
    // Rank 0 writes, once a step and only finite weights unless training.on_non_finite goes on; throws TrainingError.
    // Every rank calls it; returns when the checkpoint is complete.
    void save(const TrainingPosition& position);
    // "; the last checkpoint is checkpoints/step-00000012", or how to get one.
    std::string lastText() const;

  private:
    void write(const TrainingPosition& position);
    void checkFinite(std::int64_t step) const;
    CheckpointManifest manifestAt(const TrainingPosition& position) const;

    const TrainerParts& m_parts;
    const Model& m_model;
    Strategy& m_strategy;
    ChannelScale m_scale;
    std::int64_t m_savedStep = -1;
    std::string m_lastPath;
};

}  // namespace ringside
