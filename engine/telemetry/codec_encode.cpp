// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "base/json.h"
#include "base/number_writer.h"
#include "telemetry/codec.h"

namespace ringside {
namespace {

Json number(double value) {
    return std::isfinite(value) ? Json(value) : Json(nullptr);
}

// Invalid UTF-8 (a worker's stderr may hold any byte) becomes the replacement character instead of an exception.
std::string line(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

// Text that is no JSON becomes null.
Json parsedOrNull(const std::string& text) {
    Json json = Json::parse(text, nullptr, false);
    return json.is_discarded() ? Json() : json;
}

Json toJson(const RunStarted& e) {
    return {{"kind", "run"},
            {"version", e.version},
            {"name", e.name},
            {"run_directory", e.runDirectory},
            {"world_size", e.worldSize},
            {"backend", e.backend},
            {"why_backend", e.whyBackend},
            {"device", e.device},
            {"why_device", e.whyDevice},
            {"wanted_backend", e.wantedBackend},
            {"wanted_device", e.wantedDevice},
            {"training_samples", e.trainingSamples},
            {"validation_samples", e.validationSamples},
            {"steps_per_epoch", e.stepsPerEpoch},
            {"epochs", e.epochs},
            {"batch_size", e.batchSize},
            {"steps_before", e.stepsBefore},
            {"started_unix_ms", e.startedUnixMs},
            {"config", parsedOrNull(e.config)}};
}

Json toJson(const RankState& e) {
    Json json = {{"kind", "rank"}, {"rank", e.rank}, {"state", e.state}};
    if (!e.device.empty()) json["device"] = e.device;
    if (e.pid != 0) json["pid"] = e.pid;
    json["time_us"] = e.timeUs;
    return json;
}

Json toJson(const Heartbeat& e) {
    Json json = {{"kind", "heartbeat"},
                 {"rank", e.rank},
                 {"step", e.step},
                 {"epoch", e.epoch},
                 {"phase", e.phase},
                 {"collective", e.collective},
                 {"resident_bytes", e.residentBytes},
                 {"dropped_steps", e.droppedSteps},
                 {"batches", e.batches},
                 {"time_us", e.timeUs}};
    if (e.gpu.known()) {
        json["gpu_percent"] = e.gpu.utilisationPercent;
        json["gpu_used_bytes"] = e.gpu.usedBytes;
        json["gpu_total_bytes"] = e.gpu.totalBytes;
        json["gpu_celsius"] = e.gpu.celsius;
        json["gpu_watts"] = e.gpu.watts;
    }
    return json;
}

Json toJson(const EpochResult& e) {
    return {{"kind", "epoch"},
            {"epoch", e.epoch},
            {"split", e.split},
            {"loss", number(e.loss)},
            {"accuracy", number(e.accuracy)},
            {"samples", e.samples},
            {"loss_padded", number(e.lossPadded)},
            {"accuracy_padded", number(e.accuracyPadded)},
            {"samples_padded", e.samplesPadded},
            {"step", e.step},
            {"non_finite_batches", e.nonFiniteBatches},
            {"time_us", e.timeUs}};
}

Json toJson(const Consumed& e) {
    return {{"kind", "consumed"}, {"rank", e.rank}, {"epoch", e.epoch}, {"count", e.count}, {"sha256", e.sha256}};
}

Json toJson(const Replica& e) {
    return {{"kind", "replica"}, {"rank", e.rank}, {"step", e.step}, {"hash", e.hash}};
}

Json toJson(const LogLine& e) {
    return {{"kind", "log"}, {"rank", e.rank}, {"level", e.level}, {"text", e.text}, {"time_us", e.timeUs}};
}

Json toJson(const CheckpointSaved& e) {
    return {{"kind", "checkpoint"}, {"step", e.step}, {"path", e.path}, {"time_us", e.timeUs}};
}

Json toJson(const RunEnded& e) {
    Json json = {{"kind", "end"},
                 {"state", e.state},
                 {"exit_code", e.exitCode},
                 {"first_failed_rank", e.firstFailedRank},
                 {"verdict", e.verdict},
                 {"last_lines", e.lastLines},
                 {"steps", e.steps},
                 {"train_seconds", number(e.trainSeconds)},
                 {"steps_per_second", number(e.stepsPerSecond)},
                 {"samples_per_second", number(e.samplesPerSecond)},
                 {"time_us", e.timeUs}};
    if (e.planVerified) json["plan_verified"] = *e.planVerified;
    if (e.auditedEpochs > 0) json["plan_audited_epochs"] = e.auditedEpochs;
    if (!e.planMismatch.empty()) json["plan_mismatch"] = e.planMismatch;
    return json;
}

template <class T>
void writeColumn(NumberWriter& out, std::string_view name, const std::vector<T>& values) {
    out.text(",\"").text(name).text("\":[");
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (i > 0) out.character(',');
        out.number(values[i]);
    }
    out.character(']');
}

// Step frames are the bulk of a stream: written straight into text.
std::string frameLine(const StepsFrame& e) {
    NumberWriter out;
    out.text(R"({"kind":"steps","rank":)").number(std::int64_t{e.rank});
    out.text(R"(,"epoch":)").number(e.epoch).text(R"(,"lr":)").number(e.learningRate);
    writeColumn(out, "step", e.step);
    writeColumn(out, "loss", e.loss);
    if (!e.correct.empty()) writeColumn(out, "correct", e.correct);
    writeColumn(out, "samples", e.samples);
    writeColumn(out, "end_us", e.endUs);
    if (!e.gradientNorm.empty()) writeColumn(out, "gradient_norm", e.gradientNorm);
    if (!e.dataUs.empty()) writeColumn(out, "data_us", e.dataUs);
    return out.text("}\n").take();
}

std::string indicesLine(const ConsumedIndices& e) {
    NumberWriter out;
    out.text(R"({"kind":"indices","rank":)").number(std::int64_t{e.rank});
    out.text(R"(,"epoch":)").number(e.epoch).text(R"(,"step":)").number(e.step).text(R"(,"slot":)").number(e.slot);
    writeColumn(out, "index", e.index);
    return out.text("}\n").take();
}

struct Encode {
    std::string operator()(const StepsFrame& event) const { return frameLine(event); }
    std::string operator()(const ConsumedIndices& event) const { return indicesLine(event); }
    template <class E>
    std::string operator()(const E& event) const {
        return line(toJson(event));
    }
};

}  // namespace

std::string encode(const Event& event) {
    return std::visit(Encode{}, event);
}

}  // namespace ringside
