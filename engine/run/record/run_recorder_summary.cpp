// SPDX-License-Identifier: Apache-2.0
// What a run came to, as summary.json says it.
#include <cmath>

#include "base/json.h"
#include "run/checkpoint/checkpoint_manifest.h"
#include "run/record/run_recorder.h"

namespace ringside {
namespace {

Json number(double value) {
    return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json exactMetrics(const EpochResult& result) {
    return {{"loss", number(result.loss)}, {"accuracy", number(result.accuracy)}, {"samples", result.samples}};
}

Json paddedMetrics(const EpochResult& result) {
    return {{"loss", number(result.lossPadded)},
            {"accuracy", number(result.accuracyPadded)},
            {"samples", result.samplesPadded}};
}

Json toJson(const PlanMismatch& mismatch) {
    Json json = {{"rank", mismatch.rank}, {"epoch", mismatch.epoch}, {"text", mismatch.text()}};
    if (mismatch.slot < 0) return json;
    json["step"] = mismatch.step;
    json["slot"] = mismatch.slot;
    json["planned"] = mismatch.planned < 0 ? Json(nullptr) : Json(mismatch.planned);
    json["trained"] = mismatch.trained;
    return json;
}

}  // namespace

// Where the time went, as the last traced steps show it.
void RunRecorder::judgeTime(RunEnded& end) {
    if (!m_data.trace() || m_data.trace()->steps().empty()) return;
    m_time = m_data.trace()->verdict();
    if (m_time.finding != StepsFinding::kTooFewSteps) end.timeVerdict = m_time.whole();
}

Json RunRecorder::straggler() const {
    if (!m_time.namesRank()) return nullptr;
    const bool cpuTaken = m_time.finding == StepsFinding::kCpuTaken;
    return {{"rank", m_time.rank},
            {"phase", cpuTaken ? "cpu" : std::string(phaseName(m_time.phase))},
            {"share", m_time.share},
            {"lost_ms_per_step", m_time.lostMs}};
}

// Of the last checkpoint, as its manifest has it.
Json RunRecorder::weightsSha256() const {
    if (m_data.checkpoints().empty()) return nullptr;
    const Result<Json> json = readJsonFile(m_paths.directory / m_data.checkpoints().back().path / kManifestName);
    if (!json || !json.value().is_object()) return nullptr;
    for (const Json& file : json.value().value("files", Json::array()))
        if (file.is_object() && file.value("name", "") == kWeightsName) return file.value("sha256", Json(nullptr));
    return nullptr;
}

Json RunRecorder::memoryOfRanks() const {
    Json ranks = Json::array();
    for (const RankData& rank : m_data.ranks()) {
        if (!rank.memory) return nullptr;
        const RankMemory& one = *rank.memory;
        ranks.push_back({{"parameters", one.parameters},
                         {"gradients", one.gradients},
                         {"optimizer", one.optimizer},
                         {"activations", one.activations},
                         {"gathered", one.gathered},
                         {"buffers", one.buffers},
                         {"peak", one.peak}});
    }
    return ranks;
}

Json RunRecorder::summary(const RunEnded& end) const {
    Json firstStep = m_firstStepUs >= 0 ? Json(static_cast<double>(m_firstStepUs) / 1e6) : Json(nullptr);
    std::int64_t dropped = 0;
    for (const RankData& rank : m_data.ranks()) dropped += rank.droppedSteps;
    return {{"version", 1},
            {"name", m_run.config.name},
            {"state", end.state},
            {"exit_code", end.exitCode},
            {"first_failed_rank", end.firstFailedRank >= 0 ? Json(end.firstFailedRank) : Json(nullptr)},
            {"verdict", end.verdict},
            {"last_lines", end.lastLines},
            {"world_size", m_run.config.parallel.worldSize},
            {"steps", end.steps},
            {"planned_steps", m_data.totalSteps()},
            {"steps_before", m_run.stepsBefore},
            {"non_finite_batches", nonFiniteBatches()},
            {"train_seconds", end.trainSeconds},
            {"paused_seconds", static_cast<double>(m_data.pausedUs()) / 1e6},
            {"steps_per_second", end.stepsPerSecond},
            {"samples_per_second", end.samplesPerSecond},
            {"first_step_seconds", std::move(firstStep)},
            {"total_seconds", static_cast<double>(end.timeUs) / 1e6},
            {"final", finalMetrics()},
            {"best", bestMetrics()},
            {"device", m_run.compute.device},
            {"why_device", m_run.compute.whyDevice},
            {"cpu_setting", m_run.compute.cpuSetting.empty() ? Json(nullptr) : Json(m_run.compute.cpuSetting)},
            {"backend", m_run.compute.backend},
            {"why_backend", m_run.compute.whyBackend},
            {"plan_hashes", m_run.planHashes},
            {"plan_verified", end.planVerified ? Json(*end.planVerified) : Json(nullptr)},
            {"plan_audited_epochs", m_auditedEpochs},
            {"plan_mismatch", m_mismatches.empty() ? Json(nullptr) : toJson(m_mismatches.front())},
            {"data_wait_share", dataWaitShare()},
            {"straggler", straggler()},
            {"time_verdict", end.timeVerdict.empty() ? Json(nullptr) : Json(end.timeVerdict)},
            {"normalize", normalizeScale()},
            {"restarts", m_restarts},
            {"weights_sha256", weightsSha256()},
            {"memory", memoryOfRanks()},
            {"dropped_telemetry_steps", dropped},
            {"recording", recording()}};
}

// What of the run the directory holds: all of it, or windows of steps, or nothing after the disk was full.
Json RunRecorder::recording() const {
    const auto step = [](const std::optional<std::int64_t>& one) { return one ? Json(*one) : Json(nullptr); };
    return {{"bytes", m_telemetry.bytes() + m_metrics.bytes() + m_log.bytes()},
            {"thinned_from_step", step(m_metrics.thinnedFrom())},
            {"lines_left_out", m_budget.linesLeftOut()},
            {"stopped", m_full ? Json{{"step", m_full->step}, {"why", m_full->why}} : Json(nullptr)}};
}

// The part of the time in which a rank waited for its batches, of the rank that waited most.
double RunRecorder::dataWaitShare() const {
    double most = 0;
    for (const RankData& rank : m_data.ranks()) most = std::max(most, rank.dataShare());
    return most;
}

// What the last weights expect of images: only the ranks measured it.
Json RunRecorder::normalizeScale() const {
    if (m_data.checkpoints().empty()) return nullptr;
    const Result<Json> manifest = readJsonFile(m_paths.directory / m_data.checkpoints().back().path / kManifestName);
    if (!manifest || !manifest.value().is_object()) return nullptr;
    return manifest.value().value("normalize", Json(nullptr));
}

std::int64_t RunRecorder::nonFiniteBatches() const {
    std::int64_t count = 0;
    for (const EpochResult& one : m_data.trainingEpochs()) count += one.nonFiniteBatches;
    return count;
}

Json RunRecorder::finalMetrics() const {
    Json json = Json::object();
    if (!m_data.trainingEpochs().empty()) {
        const EpochResult& last = m_data.trainingEpochs().back();
        json["epoch"] = last.epoch;
        json["train_loss"] = number(last.loss);
        json["train_accuracy"] = number(last.accuracy);
    }
    if (m_data.validationEpochs().empty()) return json;
    const EpochResult& last = m_data.validationEpochs().back();
    const bool padded = m_run.config.training.validate == "padded";
    json["val_loss"] = number(padded ? last.lossPadded : last.loss);
    json["val_accuracy"] = number(padded ? last.accuracyPadded : last.accuracy);
    json["val_samples"] = padded ? last.samplesPadded : last.samples;
    json["val_exact"] = exactMetrics(last);
    json["val_padded"] = paddedMetrics(last);
    return json;
}

// The epoch with the highest validation accuracy, or the lowest loss where there is none.
Json RunRecorder::bestMetrics() const {
    const bool padded = m_run.config.training.validate == "padded";
    const auto score = [&](const EpochResult& one) {
        const double accuracy = padded ? one.accuracyPadded : one.accuracy;
        return std::isnan(accuracy) ? -(padded ? one.lossPadded : one.loss) : accuracy;
    };
    const EpochResult* best = nullptr;
    for (const EpochResult& one : m_data.validationEpochs()) {
        if (best == nullptr || score(one) > score(*best)) best = &one;
    }
    if (best == nullptr) return Json::object();
    return {{"epoch", best->epoch},
            {"val_loss", number(padded ? best->lossPadded : best->loss)},
            {"val_accuracy", number(padded ? best->accuracyPadded : best->accuracy)}};
}

}  // namespace ringside
