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
#include "train/checkpoint/save_directories.h"
#include "train/interfaces/metric_sums.h"
#include "train/interfaces/trainer_dependencies.h"

namespace ringside {

// Position in the training, with the results of the current epoch. All steps before the position are done.
struct TrainingPosition {
    std::int64_t step = 0;  // number of optimizer steps done
    // number of the current epoch, from 0; if an epoch has just ended, number of the next epoch
    std::int64_t epoch = 0;
    // number of batches of the epoch that are done; 0 if an epoch has just ended
    std::int64_t batches = 0;
    // Sums of loss and correct predictions in the current epoch over all ranks. resume() sets them on rank 0 only.
    MetricSums sums = {};
    // changes that control commands made to the training; set by resume() only
    std::vector<ControlChange> changes = {};
};

// Resumes a training from the checkpoint training.resume, and writes the checkpoints of a run.
class Checkpointer {
  public:
    // All reference arguments must outlive this object.
    Checkpointer(const TrainerDependencies& dependencies, const Model& model, Strategy& strategy)
        : m_dependencies(dependencies),
          m_model(model),
          m_strategy(strategy),
          m_directories(dependencies.runDirectory, dependencies.config) {}

    // Restores the weights, the optimizer state and the loss scale of float16 training on every rank. Returns the
    // position stored in the checkpoint. If training.resume is empty, returns the start of the training. Throws
    // TrainingError.
    TrainingPosition resume();
    // Sets the mean and standard deviation by which image channels are normalized. The manifest stores them for
    // programs that use the weights.
    void setScale(const ChannelScale& scale) { m_scale = scale; }
    // Sets the changes made by control commands, which all later checkpoints store.
    void setControlChanges(const std::vector<ControlChange>& changes) { m_changes = changes; }
    // Reserves disk space for one checkpoint on rank 0, so that a run can still save its weights after the disk has
    // become full. Call before training. Throws IoError if there is not enough space.
    void reserveSpace();
    // Saves a checkpoint, unless this step is already saved. Every rank must call this function; rank 0 writes. Returns
    // when the checkpoint is complete. Throws TrainingError if a weight is not finite and training.on_non_finite is
    // stop. Throws IoError if no space is left for another checkpoint. If the run directory was deleted, creates it
    // again. If the run directory cannot be written, saves the weights in another of the SaveDirectories; rank 0 then
    // throws an IoError that names this directory.
    void save(const TrainingPosition& position);
    // Saves a checkpoint as save() does, but reserves no space for another checkpoint. If the checkpoint of this step
    // has been deleted, writes it again.
    void saveLast(const TrainingPosition& position);
    // Returns true if a checkpoint is due because of training.checkpoint_seconds; the next call returns false. The next
    // save then counts as timed: its checkpoint is removed after a newer one is written. Call on rank 0 only.
    bool isTimedSaveDue(std::int64_t nowUs);
    // Returns a phrase for an error message: " (the last good checkpoint is checkpoints/step-00000012)". Returns an
    // empty text if there is no checkpoint.
    std::string lastCheckpointText() const;

  private:
    void prepareSave();
    bool isSaved(const TrainingPosition& position);
    bool attemptSave(const TrainingPosition& position);
    bool saveCheckpoint(const TrainingPosition& position);
    void writeInCurrentDirectory(const TrainingPosition& position);
    bool broadcastFromRankZero(bool ofRankZero);
    std::optional<std::string> writeIfFinite(const TrainingPosition& position);
    void findEarlierAttempts(const ResumePoint& point);
    void removeSuperseded(bool isTimed);
    void scheduleTimedSave(std::int64_t tookUs);
    CheckpointManifest manifestAt(const TrainingPosition& position) const;

    const TrainerDependencies& m_dependencies;
    const Model& m_model;
    Strategy& m_strategy;
    SaveDirectories m_directories;  // used on rank 0 only
    ChannelScale m_scale;
    std::vector<ControlChange> m_changes;
    std::int64_t m_savedStep = -1;
    std::string m_lastPath;
    std::optional<SpaceReserve> m_reserve;
    // Time of the next timed save, in microseconds since the start of the run.
    std::int64_t m_timedSaveUs = std::numeric_limits<std::int64_t>::max();
    bool m_nextIsTimed = false;
    // Paths of the checkpoints that the run keeps, oldest first. Includes those of earlier attempts of the run.
    // Excludes timed ones (training.checkpoint_seconds).
    std::vector<std::string> m_kept;
    // Paths of the checkpoints that are removed after the next checkpoint is written: timed ones
    // (training.checkpoint_seconds), incomplete ones, and those of steps that are trained again.
    std::vector<std::string> m_passing;
};

}  // namespace ringside
