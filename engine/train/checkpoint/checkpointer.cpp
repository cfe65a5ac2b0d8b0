// SPDX-License-Identifier: Apache-2.0
#include "train/checkpoint/checkpointer.h"

#include <algorithm>
#include <filesystem>
#include <span>
#include <utility>

#include "base/text/number_text.h"
#include "data/sets/common/dataset_identity.h"
#include "sampling/plan/epoch_spec.h"
#include "train/checkpoint/own_checkpoints.h"
#include "train/interfaces/non_finite.h"
#include "train/interfaces/training_error.h"

namespace ringside {

namespace {

// Returns the settings by which samples are assigned to ranks. The manifest stores them for programs that read a
// checkpoint.
Json samplerJson(const RunConfig& config) {
    Json json = config.toJson()["sampler"];
    json["world_size"] = config.dataRanks();
    json["batch_size"] = config.loader.batchSize;
    json["loader_drop_last"] = config.loader.dropLast;
    json["accumulate_steps"] = config.training.accumulateSteps;
    return json;
}

// Removes a checkpoint, its manifest first: if the removal is interrupted, no checkpoint remains that looks complete.
// Ignores errors, because a superfluous checkpoint does no harm.
void removeCheckpoint(const std::filesystem::path& directory) {
    std::error_code ignored;
    std::filesystem::remove(directory / kManifestName, ignored);
    std::filesystem::remove_all(directory, ignored);
}

}  // namespace

TrainingPosition Checkpointer::resume() {
    if (m_dependencies.config.training.resume.empty()) return {};
    const ResumePoint point = valueOrThrow(openResumePoint(m_dependencies.config, m_dependencies.data.training));
    const bool mustBeFinite = m_dependencies.config.training.onNonFinite == OnNonFinite::kStop;
    if (m_strategy.isWhole())
        valueOrThrow(restoreCheckpoint(
            point, {m_model.state(), m_model.parameters(), m_strategy.optimizer(), m_dependencies.backend},
            mustBeFinite));
    else
        valueOrThrow(restoreCheckpoint(point, m_strategy, m_model, mustBeFinite));
    TrainingPosition position{.step = point.manifest.step,
                              .epoch = point.manifest.epochsDone,
                              .batches = point.manifest.batchesDone,
                              .changes = point.manifest.changes};
    if (m_dependencies.communicator.rank() == 0) {
        position.sums = MetricSums(point.manifest.epochSums);
        findEarlierAttempts(point);
        m_dependencies.observer.onEvent(
            LogLine{0, LogLevel::kInfo,
                    "continues from " + point.directory.string() + " after step " + std::to_string(position.step),
                    m_dependencies.observer.nowUs()});
    }
    return position;
}

CheckpointManifest Checkpointer::manifestAt(const TrainingPosition& position) const {
    CheckpointManifest manifest{.step = position.step,
                                .epochsDone = position.epoch,
                                .model = m_model.describe(),
                                .optimizer = textOf(m_dependencies.config.optimizer.kind),
                                .sampler = samplerJson(m_dependencies.config)};
    const Optimizer& optimizer = m_strategy.optimizer();
    if (optimizer.rules().scalesLoss) {
        const UpdateState progress = optimizer.progress();
        manifest.lossScale = LossScale{progress.lossScale, progress.goodSteps, progress.skippedSteps};
    }
    manifest.normalize = m_scale;
    manifest.changes = m_changes;
    manifest.timed = m_nextIsTimed;
    if (position.batches == 0) return manifest;
    manifest.batchesDone = position.batches;
    manifest.sampler["data_sha256"] = identityOf(*m_dependencies.data.training);
    manifest.epochSums = position.sums.values();
    ShardSpec spec = epochSpec(m_dependencies.config, m_dependencies.data.training, position.epoch);
    spec.worldSize = m_strategy.dataParallelGroup().size();
    const ShardPlan plan = valueOrThrow(ShardPlan::make(spec));
    for (int rank = 0; rank < m_strategy.dataParallelGroup().size(); ++rank)
        manifest.planHashes.push_back(plan.hash(rank));
    return manifest;
}

void Checkpointer::reserveSpace() {
    std::error_code ignored;
    if (m_dependencies.communicator.rank() != 0 || !std::filesystem::is_directory(m_dependencies.runDirectory, ignored))
        return;
    const std::int64_t bytes =
        m_strategy.isWhole()
            ? checkpointBytes({m_model.state(), m_model.parameters(), m_strategy.optimizer(), m_dependencies.backend})
            : checkpointBytes(m_strategy, m_model);
    m_reserve.emplace(m_dependencies.runDirectory, bytes, "a checkpoint of " + memoryText(bytes));
    if (m_timedSaveUs == std::numeric_limits<std::int64_t>::max()) scheduleTimedSave(0);
}

void Checkpointer::save(const TrainingPosition& position) {
    const bool isNew = m_savedStep != position.step;
    saveLast(position);
    if (!m_reserve || !isNew) return;
    try {
        reserveSpace();
    } catch (const IoError& error) {
        throw IoError("the weights of step " + std::to_string(position.step) + " are saved in " + m_lastPath +
                      ", but " + error.what());
    }
}

void Checkpointer::saveLast(const TrainingPosition& position) {
    if (m_dependencies.runDirectory.empty() || isSaved(position)) return;
    const PhaseScope scope(m_dependencies.observer.progress().phase, Phase::kCheckpoint);
    prepareSave();
    while (!attemptSave(position)) continue;
    m_savedStep = position.step;
    if (m_dependencies.communicator.rank() == 0 && !m_directories.isRunDirectory())
        throw IoError(m_directories.firstFailure() + "; the weights after step " + std::to_string(position.step) +
                      " are saved in " + m_lastPath + " instead: ringsidectl run --resume " +
                      m_directories.currentDirectory().string() + " continues from there");
}

// Prepares a save. First sends all pending telemetry, so that a run never resumes after steps that were not recorded.
void Checkpointer::prepareSave() {
    m_dependencies.observer.onState(RankStage::kSaving);
    m_dependencies.observer.flush();
    m_dependencies.communicator.barrierWithoutTimeout();
}

// Returns true on every rank if this run has already written the checkpoint of this step and rank 0 still finds its
// files.
bool Checkpointer::isSaved(const TrainingPosition& position) {
    if (m_savedStep != position.step) return false;
    std::error_code ignored;
    return broadcastFromRankZero(
        std::filesystem::exists(m_dependencies.runDirectory / m_lastPath / kManifestName, ignored));
}

// Returns on every rank the value that rank 0 has passed. Collective.
bool Checkpointer::broadcastFromRankZero(bool ofRankZero) {
    std::int64_t value = m_dependencies.communicator.rank() == 0 && ofRankZero ? 1 : 0;
    if (m_dependencies.communicator.size() > 1)
        m_dependencies.communicator.allReduce(CommBuffer::of(std::span(&value, 1)), ReduceOp::kMaximum);
    return value != 0;
}

// Tries to write the checkpoint in the current directory of m_directories. Returns true on every rank if the checkpoint
// is complete. If writing failed, returns false, and rank 0 has chosen another directory for the next attempt. While
// rank 0 writes, the other ranks wait without a timeout: a slow disk must not look like a hung rank.
bool Checkpointer::attemptSave(const TrainingPosition& position) {
    bool isComplete = true;
    if (m_dependencies.communicator.rank() == 0)
        isComplete = saveCheckpoint(position);
    else if (!m_strategy.isWhole())
        gatherForCheckpoint(m_strategy);
    m_dependencies.communicator.barrierWithoutTimeout();
    return broadcastFromRankZero(isComplete);
}

// Writes the checkpoint and returns its path. Returns an empty value if a weight is not finite and
// training.on_non_finite is stop.
std::optional<std::string> Checkpointer::writeIfFinite(const TrainingPosition& position) {
    const bool mustBeFinite = m_dependencies.config.training.onNonFinite == OnNonFinite::kStop;
    if (!m_strategy.isWhole())
        return writeCheckpoint(m_directories.currentDirectory(), manifestAt(position), m_strategy, mustBeFinite);
    if (mustBeFinite && !areFinite(m_model.parameters(), m_dependencies.backend)) return {};
    const TrainedParts dependencies{m_model.state(), m_model.parameters(), m_strategy.optimizer(),
                                    m_dependencies.backend};
    return writeCheckpoint(m_directories.currentDirectory(), manifestAt(position), dependencies);
}

bool Checkpointer::saveCheckpoint(const TrainingPosition& position) {
    try {
        writeInCurrentDirectory(position);
        return true;
    } catch (const IoError& error) {
        if (!m_directories.chooseNext(error))
            throw IoError(m_directories.firstFailure() + "; the weights after step " + std::to_string(position.step) +
                          " could not be saved beside the run directory or in the user's state directory either");
        m_dependencies.observer.onEvent(
            LogLine{0, LogLevel::kWarning,
                    std::string(error.what()) + "; saving again in " + m_directories.currentDirectory().string(),
                    m_dependencies.observer.nowUs()});
        return false;
    }
}

void Checkpointer::writeInCurrentDirectory(const TrainingPosition& position) {
    const std::int64_t fromUs = m_dependencies.observer.nowUs();
    if (m_reserve) m_reserve->release();
    const std::optional<std::string> path = writeIfFinite(position);
    if (!path)
        throwNonFinite(m_dependencies.communicator, "the weights after step " + std::to_string(position.step) +
                                                        " are not all finite numbers and are not saved" +
                                                        lastCheckpointText() + ": lower optimizer.lr");
    m_lastPath = m_directories.isRunDirectory() ? *path : (m_directories.currentDirectory() / *path).string();
    m_dependencies.observer.onEvent(CheckpointSaved{position.step, m_lastPath, m_dependencies.observer.nowUs()});
    if (m_directories.isRunDirectory()) removeSuperseded(std::exchange(m_nextIsTimed, false));
    scheduleTimedSave(m_dependencies.observer.nowUs() - fromUs);
}

// Finds the checkpoints of earlier attempts of the run, so that superseded ones are removed as well. A killed attempt
// leaves checkpoints that it would have removed after its next save.
void Checkpointer::findEarlierAttempts(const ResumePoint& point) {
    OwnCheckpoints own = findOwnCheckpoints(m_dependencies.runDirectory, point.directory, point.manifest.step);
    m_kept = std::move(own.kept);
    m_passing = std::move(own.timed);
    m_passing.insert(m_passing.end(), own.superseded.begin(), own.superseded.end());
}

// Removes the superseded checkpoints in this run's directory. A checkpoint in another directory, from which the run was
// resumed, is never removed.
void Checkpointer::removeSuperseded(bool isTimed) {
    // A checkpoint that is written again for the same step is already in one of the lists. Its old entry is removed, so
    // that no path is listed twice.
    for (auto* list : {&m_kept, &m_passing}) std::erase(*list, m_lastPath);
    for (const std::string& path : std::exchange(m_passing, {})) removeCheckpoint(m_dependencies.runDirectory / path);
    (isTimed ? m_passing : m_kept).push_back(m_lastPath);
    const std::int64_t most = m_dependencies.config.training.keepCheckpoints;
    for (; most > 0 && static_cast<std::int64_t>(m_kept.size()) > most; m_kept.erase(m_kept.begin()))
        removeCheckpoint(m_dependencies.runDirectory / m_kept.front());
}

// Schedules the next timed save so that saving takes at most a twentieth of the training time. tookUs: duration of the
// last save in microseconds.
void Checkpointer::scheduleTimedSave(std::int64_t tookUs) {
    constexpr std::int64_t kTimes = 20;
    const std::int64_t seconds = m_dependencies.config.training.checkpointSeconds;
    if (seconds == 0) return;
    m_timedSaveUs = m_dependencies.observer.nowUs() + std::max(seconds * 1'000'000, kTimes * tookUs);
}

bool Checkpointer::isTimedSaveDue(std::int64_t nowUs) {
    if (nowUs < m_timedSaveUs) return false;
    // Schedules no further timed save: the save that is now due schedules the next one when it is complete.
    m_timedSaveUs = std::numeric_limits<std::int64_t>::max() - 1;
    m_nextIsTimed = true;
    return true;
}

std::string Checkpointer::lastCheckpointText() const {
    if (m_lastPath.empty()) return "";
    return " (the last good checkpoint is " + m_lastPath + ")";
}

}  // namespace ringside
