// SPDX-License-Identifier: Apache-2.0
// Content of summary.json.
#include <algorithm>
#include <cmath>

#include "base/json/json.h"
#include "run/checkpoint/checkpoint_manifest.h"
#include "run/record/run_recorder.h"
#include "telemetry/data/host_links.h"
#include "telemetry/data/run_verdict.h"
#include "telemetry/traces/idle_share.h"

namespace ringside {
namespace {

SplitMetrics exactMetrics(const EpochResult& result) {
    return {.loss = result.loss, .accuracy = result.accuracy, .samples = result.samples};
}

SplitMetrics paddedMetrics(const EpochResult& result) {
    return {.loss = result.lossPadded, .accuracy = result.accuracyPadded, .samples = result.samplesPadded};
}

SummaryMismatch summaryOf(const PlanMismatch& mismatch) {
    SummaryMismatch one{.rank = mismatch.rank, .epoch = mismatch.epoch, .text = mismatch.text()};
    if (mismatch.slot < 0) return one;
    one.step = mismatch.step;
    one.slot = mismatch.slot;
    if (mismatch.planned >= 0) one.planned = mismatch.planned;
    one.trained = mismatch.trained;
    return one;
}

std::optional<std::string> weightsSha256(const Json& manifest) {
    for (const Json& file : manifest.value("files", Json::array())) {
        const bool isWeights = file.is_object() && file.value("name", Json()) == kWeightsName;
        if (isWeights && file.value("sha256", Json()).is_string()) return file["sha256"].get<std::string>();
    }
    return {};
}

std::optional<std::vector<RankMemory>> memoryOfRanks(const RunData& data) {
    std::vector<RankMemory> ranks;
    for (const RankData& rank : data.ranks()) {
        if (!rank.memory) return {};
        ranks.push_back(*rank.memory);
    }
    return ranks;
}

std::optional<std::vector<std::int64_t>> bytesOfRanks(const RunData& data) {
    std::vector<std::int64_t> ranks;
    for (const RankData& rank : data.ranks()) {
        if (!rank.bytesPerStep) return {};
        ranks.push_back(*rank.bytesPerStep);
    }
    return ranks;
}

std::optional<std::vector<SummaryHostLink>> linksOfHosts(const RunData& data) {
    const std::vector<HostLink> links = hostLinks(data);
    if (links.empty()) return {};
    std::vector<SummaryHostLink> all;
    for (const HostLink& link : links) {
        SummaryHostLink& one =
            all.emplace_back(SummaryHostLink{.host = link.host, .rank = link.rank, .roundTripMs = link.roundTripMs});
        if (link.mbitPerSecond > 0) one.mbitPerSecond = link.mbitPerSecond;
        if (link.slow != HostLink::Slow::kNo) one.slow = link.finding();
    }
    return all;
}

// Returns the largest share of time, over all ranks, that a rank spent waiting for its batches; 0 to 1.
double dataWaitShare(const RunData& data) {
    double most = 0;
    for (const RankData& rank : data.ranks()) most = std::max(most, rank.dataShare());
    return most;
}

std::int64_t nonFiniteBatches(const RunData& data) {
    std::int64_t count = 0;
    for (const EpochResult& one : data.trainingEpochs()) count += one.nonFiniteBatches;
    return count;
}

void addWatched(const RunRecorder::Watched& watched, RunSummary& all) {
    all.source = "watched";
    all.plannedSteps = 0;
    all.bitsDependOn.reset();
    all.idleShare.reset();
    all.framework = watched.framework;
    all.continues = watched.continues;
    all.findings = watched.findings;
    all.checks = watched.checks;
    all.samples = watched.samples;
}

}  // namespace

// Finds out from the latest traced steps what limits the speed of the run, and sets end.timeVerdict.
void RunRecorder::judgeTime(RunEnded& end) {
    if (!m_data.trace() || m_data.trace()->steps().empty()) return;
    m_time = verdictOf(m_data, *m_data.trace());
    if (m_time.finding != StepsFinding::kTooFewSteps) end.timeVerdict = m_time.fullText();
}

std::optional<Straggler> RunRecorder::straggler() const {
    if (!m_time.namesRank()) return {};
    const bool cpuTaken = m_time.finding == StepsFinding::kCpuTaken;
    return Straggler{.rank = m_time.rank,
                     .phase = cpuTaken ? "cpu" : std::string(phaseName(m_time.phase)),
                     .share = m_time.share,
                     .lostMsPerStep = m_time.lostMs};
}

// Returns the manifest of the last checkpoint; an empty object if there is none.
Json RunRecorder::lastManifest() const {
    if (m_data.checkpoints().empty()) return Json::object();
    Result<Json> json = readJsonFile(m_paths.directory / m_data.checkpoints().back().path / kManifestName);
    return json && json.value().is_object() ? std::move(json).value() : Json::object();
}

std::optional<std::vector<std::string>> RunRecorder::instructionSets() const {
    std::vector<std::string> all;
    for (const RankData& rank : m_data.ranks()) {
        if (rank.isa.empty()) return {};
        all.push_back(rank.isa);
    }
    if (all.empty()) return {};
    return all;
}

// Returns the conditions that determine the last bits of the results. With training.reduction canonical, these are the
// instruction sets only: the transport and the rank layout have no influence.
BitsBasis RunRecorder::bitsBasis() const {
    BitsBasis basis{.isa = instructionSets()};
    if (basis.isa)
        if (const std::string warning = instructionSetWarning(*basis.isa); !warning.empty()) basis.warning = warning;
    if (m_run.layout.empty() || m_data.ranks().empty()) return basis;
    const RankData& first = m_data.ranks().front();
    if (!first.transport.empty()) basis.transport = first.transport;
    basis.layout = m_run.layout + (first.hosts.empty() ? "" : ", ranks on hosts " + first.hosts);
    return basis;
}

RunSummary RunRecorder::summary(const RunEnded& end) const {
    RunSummary all;
    all.name = m_run.name;
    all.state = end.state;
    all.exitCode = end.exitCode;
    if (end.firstFailedRank >= 0) all.firstFailedRank = end.firstFailedRank;
    all.verdict = end.verdict;
    all.lastLines = end.lastLines;
    all.worldSize = m_run.worldSize;
    all.steps = end.steps;
    all.plannedSteps = m_data.totalSteps();
    all.stepsBefore = m_run.stepsBefore;
    all.nonFiniteBatches = nonFiniteBatches(m_data);
    all.trainSeconds = end.trainSeconds;
    all.pausedSeconds = static_cast<double>(m_data.pausedUs()) / 1e6;
    all.stepsPerSecond = end.stepsPerSecond;
    all.samplesPerSecond = end.samplesPerSecond;
    if (m_firstStepUs >= 0) all.firstStepSeconds = static_cast<double>(m_firstStepUs) / 1e6;
    all.totalSeconds = static_cast<double>(end.timeUs) / 1e6;
    all.last = finalMetrics();
    all.best = bestMetrics();
    all.device = textOf(m_run.compute.device);
    all.whyDevice = m_run.compute.whyDevice;
    if (!m_run.compute.cpuSetting.empty()) all.cpuSetting = m_run.compute.cpuSetting;
    all.backend = textOf(m_run.compute.backend);
    all.whyBackend = m_run.compute.whyBackend;
    all.bitsDependOn = bitsBasis();
    all.planHashes = m_run.planHashes;
    all.planVerified = end.planVerified;
    all.planAuditedEpochs = m_auditedEpochs;
    if (!m_mismatches.empty()) all.planMismatch = summaryOf(m_mismatches.front());
    all.dataWaitShare = dataWaitShare(m_data);
    all.straggler = straggler();
    if (!end.timeVerdict.empty()) all.timeVerdict = end.timeVerdict;
    const Json manifest = lastManifest();
    // The ranks measure the normalization and save it in the manifest; the experiment does not contain it.
    all.normalize = manifest.value("normalize", Json(nullptr));
    all.restarts = m_restarts;
    all.weightsSha256 = weightsSha256(manifest);
    all.memory = memoryOfRanks(m_data);
    const ThrottleConfig& throttle = m_run.throttle;
    if (throttle.any())
        all.throttle = {throttle.gflops, throttle.gbitPerSecond, throttle.latencyUs, keepsThrottle(m_data.ranks())};
    all.bytesPerStep = bytesOfRanks(m_data);
    all.links = linksOfHosts(m_data);
    if (m_data.trace()) all.idleShare = measuredIdleShare(*m_data.trace(), m_run.pipelineRanks);
    for (const RankData& rank : m_data.ranks()) {
        all.droppedTelemetrySteps += rank.droppedSteps;
        all.droppedTelemetryEvents += rank.droppedEvents;
        if (rank.clock) all.clocks.push_back({rank.host, *rank.clock});
    }
    all.recording = recording();
    if (m_watched) addWatched(*m_watched, all);
    return all;
}

Recording RunRecorder::recording() const {
    Recording what{.bytes = m_telemetry.bytes() + m_metrics.bytes() + m_log.bytes(),
                   .thinnedFromStep = m_metrics.thinnedFrom(),
                   .linesLeftOut = m_budget.linesLeftOut()};
    if (m_full) what.stopped = {.step = m_full->step, .why = m_full->why};
    return what;
}

FinalMetrics RunRecorder::finalMetrics() const {
    FinalMetrics all;
    if (!m_data.trainingEpochs().empty()) {
        const EpochResult& last = m_data.trainingEpochs().back();
        all.epoch = last.epoch;
        all.trainLoss = last.loss;
        all.trainAccuracy = last.accuracy;
    }
    if (m_data.validationEpochs().empty()) return all;
    const EpochResult& last = m_data.validationEpochs().back();
    const bool padded = m_run.paddedValidation;
    all.exact = exactMetrics(last);
    all.padded = paddedMetrics(last);
    const SplitMetrics& headline = padded ? *all.padded : *all.exact;
    all.validationLoss = headline.loss;
    all.validationAccuracy = headline.accuracy;
    all.validationSamples = headline.samples;
    return all;
}

BestMetrics RunRecorder::bestMetrics() const {
    const bool padded = m_run.paddedValidation;
    const auto score = [&](const EpochResult& one) {
        const double accuracy = padded ? one.accuracyPadded : one.accuracy;
        return std::isnan(accuracy) ? -(padded ? one.lossPadded : one.loss) : accuracy;
    };
    const EpochResult* best = nullptr;
    for (const EpochResult& one : m_data.validationEpochs()) {
        if (best == nullptr || score(one) > score(*best)) best = &one;
    }
    if (best == nullptr) return {};
    return {.epoch = best->epoch,
            .validationLoss = padded ? best->lossPadded : best->loss,
            .validationAccuracy = padded ? best->accuracyPadded : best->accuracy};
}

}  // namespace ringside
