// SPDX-License-Identifier: Apache-2.0
#include "run/record/run_recorder.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "base/errors.h"
#include "base/files.h"
#include "base/json.h"
#include "base/number_writer.h"
#include "run/checkpoint/checkpoint_manifest.h"
#include "telemetry/codec.h"

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

void writeMetrics(NumberWriter& line, double loss, double accuracy, std::int64_t samples) {
    line.text(R"("loss":)").number(loss).text(R"(,"accuracy":)").number(accuracy);
    line.text(R"(,"samples":)").number(samples);
}

void writeMetrics(NumberWriter& line, const EpochResult& result, bool padded) {
    if (padded) return writeMetrics(line, result.lossPadded, result.accuracyPadded, result.samplesPadded);
    writeMetrics(line, result.loss, result.accuracy, result.samples);
}

// Headline first; a validation also says both ways of counting.
std::string epochLine(const EpochResult& result, bool padded) {
    const bool validates = result.split == "val";
    NumberWriter line;
    line.text(R"({"kind":"epoch","epoch":)").number(result.epoch);
    line.text(R"(,"split":")").text(result.split).text("\",");
    writeMetrics(line, result, padded && validates);
    if (validates) {
        writeMetrics(line.text(R"(,"exact":{)"), result, false);
        writeMetrics(line.text(R"(},"padded":{)"), result, true);
        line.character('}');
    }
    if (result.nonFiniteBatches > 0) line.text(R"(,"non_finite_batches":)").number(result.nonFiniteBatches);
    return line.text("}\n").take();
}

constexpr std::size_t kMostMismatches = 16;
constexpr std::size_t kMismatchesTold = 3;
constexpr std::chrono::milliseconds kAuditPatience{500};  // at the end, for epochs not compared yet

PlanWatchOptions watchOptions(const PreparedRun& run) {
    return {.config = run.config, .datasetSize = run.trainingSamples, .classes = [classes = run.classes] {
                return classes;
            }};
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

std::string logText(const LogLine& line) {
    char prefix[64];
    const std::string who = line.rank < 0 ? "supervisor" : "rank " + std::to_string(line.rank);
    std::snprintf(prefix, sizeof prefix, "%10.3f s  %-10s  %-7s  ", static_cast<double>(line.timeUs) / 1e6, who.c_str(),
                  line.level.c_str());
    return prefix + line.text + "\n";
}

}  // namespace

RunRecorder::RunRecorder(const RunPaths& paths, const PreparedRun& run)
    : m_paths(paths),
      m_run(run),
      m_reserve(paths.directory),
      m_telemetry(paths.telemetry()),
      m_metrics(paths.metrics()),
      m_log(paths.log()),
      m_data(Curves::kLeftOut),
      m_watch(watchOptions(run)) {
    m_data.onGlobalStep = [this](const GlobalStep& step) { writeStep(step); };
}

unsigned RunRecorder::take(const Event& event, std::string_view line) {
    m_telemetry.add(std::string(line).append("\n"));
    note(event);
    return m_data.apply(event);
}

unsigned RunRecorder::add(const Event& event) {
    std::string line = encode(event);
    line.pop_back();
    return take(event, line);
}

void RunRecorder::note(const Event& event) {
    if (const auto* line = std::get_if<LogLine>(&event)) m_log.add(logText(*line));
    if (const auto* state = std::get_if<RankState>(&event)) noteTraining(*state);
    if (const auto* consumed = std::get_if<Consumed>(&event)) m_watch.add(*consumed);
    if (const auto* indices = std::get_if<ConsumedIndices>(&event)) m_watch.add(*indices);
    if (const auto* epoch = std::get_if<EpochResult>(&event)) {
        m_waitingEpochs.push_back(*epoch);
        writeEpochsUpTo(m_data.lastStep() ? m_data.lastStep()->step : 0);
    }
}

void RunRecorder::noteTraining(const RankState& state) {
    // Ranks say "training" again after every validation: the first time of each counts.
    if (state.state != "training" || !m_trainingRanks.insert(state.rank).second) return;
    m_trainingFromUs = std::max(m_trainingFromUs, state.timeUs);
}

void RunRecorder::writeStep(const GlobalStep& step) {
    if (m_firstStepUs < 0) m_firstStepUs = step.timeUs;
    writeEpochsUpTo(step.step - 1);
    NumberWriter line;
    line.text(R"({"kind":"step","step":)").number(step.step).text(R"(,"epoch":)").number(step.epoch);
    line.text(R"(,"loss":)").number(step.loss).text(R"(,"accuracy":)").number(step.accuracy);
    line.text(R"(,"lr":)").number(step.learningRate).text(R"(,"samples":)").number(step.samples);
    m_metrics.add(line.text("}\n").take());
}

void RunRecorder::writeEpochsUpTo(std::int64_t step) {
    while (!m_waitingEpochs.empty() && m_waitingEpochs.front().step <= step) {
        m_metrics.add(epochLine(m_waitingEpochs.front(), m_run.config.training.validate == "padded"));
        m_waitingEpochs.pop_front();
    }
}

void RunRecorder::takeFindings(const PlanNews& news) {
    m_auditedEpochs += static_cast<std::int64_t>(news.auditedEpochs.size());
    for (const PlanMismatch& mismatch : news.mismatches) {
        if (m_mismatches.size() == kMostMismatches) return;
        m_mismatches.push_back(mismatch);
        if (m_mismatches.size() > kMismatchesTold) continue;
        add(LogLine{-1, "error", "not as planned: " + mismatch.text(), m_data.lastTimeUs()});
    }
}

void RunRecorder::startAgain(std::string_view firstLine) {
    m_telemetry = AppendFile(m_paths.telemetry());
    m_metrics = AppendFile(m_paths.metrics());
    m_log = AppendFile(m_paths.log());
    m_telemetry.add(firstLine);
}

void RunRecorder::flush() {
    takeFindings(m_watch.take());
    m_telemetry.flush();
    m_metrics.flush();
    m_log.flush();
}

// Each part is tried, whatever happened to the one before.
RunEnded RunRecorder::finish(RunEnded end) {
    const auto attempt = [&](auto&& part) {
        try {
            part();
        } catch (const IoError& error) {
            if (end.state == "failed") return;  // by something worse than a full disk
            end.state = "failed";
            end.exitCode = static_cast<int>(error.exitCode());
            end.verdict = error.what();
        }
    };
    measure(end);
    attempt([&] { takeFindings(m_watch.finish(kAuditPatience)); });
    if (m_auditedEpochs > 0 || !m_mismatches.empty()) end.planVerified = m_mismatches.empty();
    if (!m_mismatches.empty()) end.planMismatch = m_mismatches.front().text();
    end.auditedEpochs = m_auditedEpochs;
    attempt([&] { writeEpochsUpTo(std::numeric_limits<std::int64_t>::max()); });
    for (AppendFile* file : {&m_metrics, &m_log, &m_telemetry}) attempt([&] { file->flush(); });
    m_reserve.release();  // room for what follows, however full the disk is
    attempt([&] { add(LogLine{-1, end.state == "failed" ? "error" : "info", end.verdict, end.timeUs}); });
    attempt([&] { m_log.flush(); });
    attempt([&] {
        writeFileAtomically(m_paths.summary(), summary(end).dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
    });
    attempt([&] { add(end); });  // last: who sees it finds the directory complete
    attempt([&] { m_telemetry.flush(); });
    return end;
}

std::int64_t RunRecorder::stepsDone() const {
    std::int64_t steps = m_data.lastStep() ? m_data.lastStep()->step : 0;
    if (!m_data.trainingEpochs().empty()) steps = std::max(steps, m_data.trainingEpochs().back().step);
    if (!m_data.checkpoints().empty()) steps = std::max(steps, m_data.checkpoints().back().step);
    return steps;
}

// Counted where steps were logged, and carried on at the same rate where they were not.
double RunRecorder::samplesDone(std::int64_t steps) const {
    if (m_data.lastStep()) {
        const auto logged = static_cast<double>(m_data.lastStep()->step - m_run.stepsBefore);
        return static_cast<double>(m_data.lastStep()->samplesSoFar) * static_cast<double>(steps) / logged;
    }
    double samples = 0;
    for (const EpochResult& epoch : m_data.trainingEpochs()) samples += static_cast<double>(epoch.samples);
    return samples;
}

void RunRecorder::measure(RunEnded& end) const {
    end.steps = stepsDone();
    if (end.steps == 0) return;
    std::int64_t untilUs = m_data.lastStep() ? m_data.lastStep()->timeUs : 0;
    for (const auto* epochs : {&m_data.trainingEpochs(), &m_data.validationEpochs()}) {
        if (!epochs->empty()) untilUs = std::max(untilUs, epochs->back().timeUs);
    }
    const std::int64_t fromUs = m_trainingFromUs >= 0 ? m_trainingFromUs : std::max<std::int64_t>(m_firstStepUs, 0);
    end.trainSeconds = static_cast<double>(untilUs - fromUs) / 1e6;
    if (end.trainSeconds <= 0) return;
    const std::int64_t ownSteps = std::max<std::int64_t>(end.steps - m_run.stepsBefore, 0);
    end.stepsPerSecond = static_cast<double>(ownSteps) / end.trainSeconds;
    end.samplesPerSecond = samplesDone(ownSteps) / end.trainSeconds;
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
            {"normalize", normalizeScale()},
            {"dropped_telemetry_steps", dropped}};
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
