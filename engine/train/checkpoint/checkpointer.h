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
#include "train/parts/metric_sums.h"
#include "train/parts/trainer_dependencies.h"

namespace ringside {

// Position and results of a training. All steps before the position are done.
struct TrainingPosition {
    std::int64_t step = 0;   // number of optimizer steps done
    std::int64_t epoch = 0;  // number of the current epoch, from 0; between two epochs, the number of the next epoch
    // number of the epoch's batches that are done; 0 between two epochs
    std::int64_t batches = 0;
    // sums of loss and accuracy over the current epoch and all ranks; resume() sets them on rank 0 only
    MetricSums sums = {};
    std::vector<ControlChange> changes = {};  // changes by control commands; set by resume() only
};

// Resumes a training from training.resume and writes its checkpoints.
class Checkpointer {
  public:
    // All reference arguments must outlive this object.
    Checkpointer(const TrainerDependencies& dependencies, const Model& model, Strategy& strategy)
        : m_dependencies(dependencies),
          m_model(model),
          m_strategy(strategy),
          m_directories(dependencies.runDirectory, dependencies.config) {}

    // Restores the weights, the optimizer's state and float16's loss scale on every rank, and returns the position of
    // the checkpoint. Returns the start of the training if training.resume is empty. Throws TrainingError.
    TrainingPosition resume();
    // Sets the mean and deviation by which image channels are scaled. The manifest stores them for programs that use
    // the weights.
    void setScale(const ChannelScale& scale) { m_scale = scale; }
    // Sets the changes by control commands that later checkpoints store.
    void setControlChanges(const std::vector<ControlChange>& changes) { m_changes = changes; }
    // Reserves disk space for one checkpoint on rank 0, so that a run whose disk becomes full can still save its
    // weights. Call before training. Throws IoError if there is not enough space.
    void reserveSpace();
    // Saves a checkpoint, which rank 0 writes. Every rank must call this function; it returns when the checkpoint is
    // complete. Does nothing if this step is already saved. Throws TrainingError if a weight is not finite and
    // training.on_non_finite is stop. Throws IoError if no space is left for another checkpoint. If the run directory
    // was deleted, creates it again; if the run directory cannot be written, saves the weights in another of the
    // SaveDirectories, and rank 0 throws an IoError that names this directory.
    void save(const TrainingPosition& position);
    // Saves a checkpoint as save() does, but reserves no space for another checkpoint. If the checkpoint of this step
    // was written but has been deleted, writes it again.
    void saveLast(const TrainingPosition& position);
    // Returns true once when a save is due by training.checkpoint_seconds. The next save then counts as timed: it is
    // removed after a newer checkpoint is written. Rank 0 only.
    bool isTimedSaveDue(std::int64_t nowUs);
    // Returns a part of an error message: " (the last good checkpoint is checkpoints/step-00000012)", or an empty text
    // if there is no checkpoint.
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
    // time of the next timed save, in microseconds
    std::int64_t m_timedSaveUs = std::numeric_limits<std::int64_t>::max();
    bool m_nextIsTimed = false;
    // paths of the checkpoints of this run and its earlier attempts that were not written because of
    // training.checkpoint_seconds, oldest first
    std::vector<std::string> m_kept;
    // Paths of checkpoints that are removed after a newer checkpoint: timed ones (training.checkpoint_seconds),
    // incomplete ones, and those of steps that are trained again.
    std::vector<std::string> m_passing;
};

}  // namespace ringside
