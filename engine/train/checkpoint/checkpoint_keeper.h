// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "parallel/strategy/strategy.h"
#include "run/record/space_reserve.h"
#include "train/checkpoint/checkpoint.h"
#include "train/checkpoint/save_places.h"
#include "train/parts/metric_sums.h"
#include "train/parts/trainer_parts.h"

namespace ringside {

// How far a training has come: everything before it is done.
struct TrainingPosition {
    std::int64_t step = 0;                    // optimizer steps
    std::int64_t epoch = 0;                   // the one under way, or the next
    std::int64_t batches = 0;                 // of that epoch, done on every rank
    MetricSums sums = {};                     // of that epoch, over all ranks; only rank 0 gets them back
    std::vector<ControlChange> changes = {};  // what the run was told so far; of a position that is resumed
};

// Takes a training up where training.resume says, and writes its checkpoints.
class CheckpointKeeper {
  public:
    // All of it outlives the keeper.
    CheckpointKeeper(const TrainerParts& parts, const Model& model, Strategy& strategy)
        : m_parts(parts), m_model(model), m_strategy(strategy), m_places(parts.runDirectory, parts.config) {}

    // Puts weights, the optimizer's state and float16's loss scale back, on every rank; the start where nothing is
    // named. Throws TrainingError.
    TrainingPosition resume();
    // What images are scaled with, for who uses the weights.
    void setScale(const ChannelScale& scale) { m_scale = scale; }
    // What the run was told so far, for later checkpoints.
    void setChanges(const std::vector<ControlChange>& changes) { m_changes = changes; }
    // Before training, on rank 0: sets room aside on the disk for one checkpoint, so that a run whose disk gets full
    // can still save its weights. Throws IoError where there is none.
    void reserve();
    // Rank 0 writes, once a step and only finite weights unless training.on_non_finite goes on; throws TrainingError,
    // and IoError where there is no room for another one after it. Every rank calls it; returns when the checkpoint is
    // complete. Where the run directory was deleted it is made again; where it cannot be written the weights are saved
    // in the other SavePlaces, and rank 0 throws an IoError that names the place.
    void save(const TrainingPosition& position);
    // The same, when no other follows. A checkpoint of this step that was deleted since is written again.
    void saveLast(const TrainingPosition& position);
    // On rank 0: whether training.checkpoint_seconds have passed; once for each time. The next save is then taken for
    // it, and removed again after a newer one.
    bool isTimedSaveDue(std::int64_t nowUs);
    // "; the last checkpoint is checkpoints/step-00000012", or how to get one.
    std::string lastText() const;

  private:
    void begin();
    bool isSaved(const TrainingPosition& position);
    bool attempt(const TrainingPosition& position);
    bool write(const TrainingPosition& position);
    void writeHere(const TrainingPosition& position);
    bool agree(bool ofRankZero);
    std::optional<std::string> writtenUnlessBad(const TrainingPosition& position);
    void findEarlierAttempts(const ResumePoint& point);
    void forgetOlder(bool isTimed);
    void scheduleTimedSave(std::int64_t tookUs);
    CheckpointManifest manifestAt(const TrainingPosition& position) const;

    const TrainerParts& m_parts;
    const Model& m_model;
    Strategy& m_strategy;
    SavePlaces m_places;  // used on rank 0
    ChannelScale m_scale;
    std::vector<ControlChange> m_changes;
    std::int64_t m_savedStep = -1;
    std::string m_lastPath;
    std::optional<SpaceReserve> m_reserve;
    std::int64_t m_timedSaveUs = std::numeric_limits<std::int64_t>::max();  // when the next is due
    bool m_nextIsTimed = false;
    std::vector<std::string> m_kept;  // written by this run, in earlier attempts too, and not timed, oldest first
    // Timed ones, half written ones and those of steps that are done again, until there is a newer checkpoint.
    std::vector<std::string> m_passing;
};

}  // namespace ringside
