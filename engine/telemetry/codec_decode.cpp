// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>
#include <optional>

#include "base/json.h"
#include "telemetry/codec.h"
#include "telemetry/limits.h"
#include "telemetry/steps_line.h"

namespace ringside {
namespace {

using namespace limits;

enum class Need { kOptional, kRequired };

// Reads one object's fields with bounds; the first thing wrong is kept as the problem.
class Fields {
  public:
    explicit Fields(const Json& json) : m_json(json) {}

    const std::optional<Problem>& problem() const { return m_problem; }

    void integer(const char* key, std::int64_t& out, std::int64_t least = 0, std::int64_t most = kMaxCount,
                 Need need = Need::kOptional) {
        const Json* value = find(key, need);
        if (value != nullptr) readInteger(*value, key, out, least, most);
    }
    void integer(const char* key, int& out, int least, int most, Need need = Need::kOptional) {
        std::int64_t wide = out;
        integer(key, wide, std::int64_t{least}, std::int64_t{most}, need);
        out = static_cast<int>(wide);
    }
    void rank(int& out, int least = 0) {
        integer("rank", out, least, static_cast<int>(kMaxRanks) - 1, Need::kRequired);
    }
    void time(std::int64_t& out) { integer("time_us", out, -kMaxCount, kMaxCount); }

    void real(const char* key, double& out, Need need = Need::kOptional) {
        const Json* value = find(key, need);
        if (value != nullptr) readReal(*value, key, out);
    }

    void flag(const char* key, std::optional<bool>& out) {
        const Json* value = find(key, Need::kOptional);
        if (value == nullptr) return;
        if (!value->is_boolean()) return fail(key, "is neither true nor false");
        out = value->get<bool>();
    }

    void text(const char* key, std::string& out, Need need = Need::kOptional) {
        const Json* value = find(key, need);
        if (value != nullptr) readText(*value, key, out);
    }

    void column(const char* key, std::vector<std::int64_t>& out, std::int64_t least, std::int64_t most, Need need) {
        eachOf(key, need, kMaxColumn, out,
               [&](const Json& item, std::int64_t& value) { readInteger(item, key, value, least, most); });
    }
    void column(const char* key, std::vector<double>& out, Need need) {
        eachOf(key, need, kMaxColumn, out, [&](const Json& item, double& value) { readReal(item, key, value); });
    }
    void lines(const char* key, std::vector<std::string>& out) {
        eachOf(key, Need::kOptional, kMaxLastLines, out,
               [&](const Json& item, std::string& value) { readText(item, key, value); });
    }

    void fail(const char* key, const std::string& message) {
        if (!m_problem) m_problem = Problem{std::string("telemetry \"") + key + "\"", message, "the line is ignored"};
    }

  private:
    const Json* find(const char* key, Need need) {
        const auto found = m_json.find(key);
        if (found != m_json.end()) return &*found;
        if (need == Need::kRequired) fail(key, "is missing");
        return nullptr;
    }

    void readInteger(const Json& value, const char* key, std::int64_t& out, std::int64_t least, std::int64_t most) {
        if (!value.is_number_integer()) return fail(key, "is not a whole number");
        const bool huge =
            value.is_number_unsigned() && value.get<std::uint64_t>() > static_cast<std::uint64_t>(kMaxCount);
        const std::int64_t got = huge ? std::numeric_limits<std::int64_t>::max() : value.get<std::int64_t>();
        if (got < least || got > most) {
            return fail(
                key, "is " + value.dump() + "; allowed are " + std::to_string(least) + " to " + std::to_string(most));
        }
        out = got;
    }

    void readReal(const Json& value, const char* key, double& out) {
        if (value.is_null()) {
            out = std::numeric_limits<double>::quiet_NaN();
        } else if (value.is_number()) {
            out = value.get<double>();
        } else {
            fail(key, "is not a number");
        }
    }

    void readText(const Json& value, const char* key, std::string& out) {
        if (!value.is_string()) return fail(key, "is not a string");
        const auto& got = value.get_ref<const std::string&>();
        if (got.size() > kMaxText) return fail(key, "is longer than " + std::to_string(kMaxText) + " bytes");
        out = got;
    }

    template <class T, class Read>
    void eachOf(const char* key, Need need, std::size_t most, std::vector<T>& out, Read read) {
        const Json* value = find(key, need);
        if (value == nullptr) return;
        if (!value->is_array()) return fail(key, "is not a list");
        if (value->size() > most) return fail(key, "has more than " + std::to_string(most) + " entries");
        out.reserve(value->size());
        for (const Json& item : *value) {
            T one{};
            read(item, one);
            if (m_problem) return;
            out.push_back(std::move(one));
        }
    }

    const Json& m_json;
    std::optional<Problem> m_problem;
};

void read(Fields& f, RunStarted& e) {
    f.integer("version", e.version, 1, 1000000);
    f.text("name", e.name);
    f.text("run_directory", e.runDirectory);
    f.integer("world_size", e.worldSize, 1, static_cast<int>(kMaxRanks), Need::kRequired);
    f.text("backend", e.backend);
    f.text("why_backend", e.whyBackend);
    f.text("device", e.device);
    f.text("why_device", e.whyDevice);
    f.text("wanted_backend", e.wantedBackend);
    f.text("wanted_device", e.wantedDevice);
    f.integer("training_samples", e.trainingSamples);
    f.integer("validation_samples", e.validationSamples);
    // Bounded so that their product, the total number of steps, stays a 64-bit number.
    f.integer("steps_per_epoch", e.stepsPerEpoch, 0, std::int64_t{1} << 31);
    f.integer("epochs", e.epochs, 0, std::int64_t{1} << 31);
    f.integer("batch_size", e.batchSize);
    f.integer("steps_before", e.stepsBefore);
    f.integer("started_unix_ms", e.startedUnixMs, -kMaxCount);
}

void read(Fields& f, RankState& e) {
    f.rank(e.rank);
    f.text("state", e.state, Need::kRequired);
    f.text("device", e.device);
    f.integer("pid", e.pid);
    f.time(e.timeUs);
}

bool increasing(const std::vector<std::int64_t>& values) {
    for (std::size_t i = 1; i < values.size(); ++i) {
        if (values[i] <= values[i - 1]) return false;
    }
    return true;
}

void read(Fields& f, StepsFrame& e) {
    f.rank(e.rank);
    f.integer("epoch", e.epoch);
    f.real("lr", e.learningRate);
    f.column("step", e.step, 1, kMaxCount, Need::kRequired);
    f.column("loss", e.loss, Need::kRequired);
    f.column("correct", e.correct, Need::kOptional);
    f.column("samples", e.samples, 0, kMaxBatch, Need::kRequired);
    f.column("end_us", e.endUs, -kMaxCount, kMaxCount, Need::kRequired);
    f.column("gradient_norm", e.gradientNorm, Need::kOptional);
    f.column("data_us", e.dataUs, 0, kMaxCount, Need::kOptional);
    if (f.problem()) return;
    const std::size_t n = e.step.size();
    const bool even = e.loss.size() == n && e.samples.size() == n && e.endUs.size() == n &&
                      (e.correct.empty() || e.correct.size() == n) &&
                      (e.gradientNorm.empty() || e.gradientNorm.size() == n) &&
                      (e.dataUs.empty() || e.dataUs.size() == n);
    if (!even) f.fail("steps", "has columns of different lengths");
    for (const double correct : e.correct)
        if (!(correct >= 0 && correct <= static_cast<double>(kMaxBatch))) f.fail("correct", "is no number of hits");
    if (!increasing(e.step)) f.fail("step", "does not increase");
}

void read(Fields& f, Heartbeat& e) {
    f.rank(e.rank);
    f.integer("step", e.step);
    f.integer("epoch", e.epoch);
    f.text("phase", e.phase);
    f.integer("collective", e.collective);
    f.integer("resident_bytes", e.residentBytes);
    f.integer("dropped_steps", e.droppedSteps);
    f.integer("batches", e.batches);
    f.real("gpu_percent", e.gpu.utilisationPercent);
    f.integer("gpu_used_bytes", e.gpu.usedBytes, -1);
    f.integer("gpu_total_bytes", e.gpu.totalBytes, -1);
    f.real("gpu_celsius", e.gpu.celsius);
    f.real("gpu_watts", e.gpu.watts);
    f.time(e.timeUs);
}

void read(Fields& f, EpochResult& e) {
    f.integer("epoch", e.epoch, 0, kMaxCount, Need::kRequired);
    f.text("split", e.split, Need::kRequired);
    f.real("loss", e.loss);
    f.real("accuracy", e.accuracy);
    f.integer("samples", e.samples);
    f.real("loss_padded", e.lossPadded);
    f.real("accuracy_padded", e.accuracyPadded);
    f.integer("samples_padded", e.samplesPadded);
    f.integer("step", e.step);
    f.integer("non_finite_batches", e.nonFiniteBatches);
    f.time(e.timeUs);
    if (!f.problem() && e.split != "train" && e.split != "val") f.fail("split", "is neither train nor val");
}

void read(Fields& f, Consumed& e) {
    f.rank(e.rank);
    f.integer("epoch", e.epoch, 0, kMaxCount, Need::kRequired);
    f.integer("count", e.count);
    f.text("sha256", e.sha256, Need::kRequired);
}

void read(Fields& f, ConsumedIndices& e) {
    f.rank(e.rank);
    f.integer("epoch", e.epoch, 0, kMaxCount, Need::kRequired);
    f.integer("step", e.step);
    f.integer("slot", e.slot, 0, kMaxBatch, Need::kRequired);
    f.column("index", e.index, 0, kMaxBatch, Need::kRequired);
}

void read(Fields& f, Replica& e) {
    f.rank(e.rank);
    f.integer("step", e.step, 0, kMaxCount, Need::kRequired);
    f.text("hash", e.hash, Need::kRequired);
}

void read(Fields& f, LogLine& e) {
    f.rank(e.rank, -1);
    f.text("level", e.level);
    f.text("text", e.text, Need::kRequired);
    f.time(e.timeUs);
}

void read(Fields& f, CheckpointSaved& e) {
    f.integer("step", e.step);
    f.text("path", e.path, Need::kRequired);
    f.time(e.timeUs);
}

void read(Fields& f, RunEnded& e) {
    f.text("state", e.state, Need::kRequired);
    f.integer("exit_code", e.exitCode, 0, 255);
    f.integer("first_failed_rank", e.firstFailedRank, -1, static_cast<int>(kMaxRanks) - 1);
    f.text("verdict", e.verdict);
    f.lines("last_lines", e.lastLines);
    f.integer("steps", e.steps);
    f.real("train_seconds", e.trainSeconds);
    f.real("steps_per_second", e.stepsPerSecond);
    f.real("samples_per_second", e.samplesPerSecond);
    f.flag("plan_verified", e.planVerified);
    f.integer("plan_audited_epochs", e.auditedEpochs);
    f.text("plan_mismatch", e.planMismatch);
    f.time(e.timeUs);
}

template <class E>
Result<Event> decodeAs(const Json& json) {
    Fields fields(json);
    E event;
    read(fields, event);
    if (fields.problem()) return *fields.problem();
    return Event(std::move(event));
}

template <>
Result<Event> decodeAs<RunStarted>(const Json& json) {
    Fields fields(json);
    RunStarted event;
    read(fields, event);
    if (fields.problem()) return *fields.problem();
    if (const auto config = json.find("config"); config != json.end())
        event.config = config->dump(-1, ' ', false, Json::error_handler_t::replace);
    return Event(std::move(event));
}

using Decode = Result<Event> (*)(const Json&);
struct Kind {
    std::string_view name;
    Decode decode;
};
constexpr Kind kKinds[] = {
    {"steps", decodeAs<StepsFrame>},
    {"heartbeat", decodeAs<Heartbeat>},
    {"epoch", decodeAs<EpochResult>},
    {"rank", decodeAs<RankState>},
    {"consumed", decodeAs<Consumed>},
    {"indices", decodeAs<ConsumedIndices>},
    {"replica", decodeAs<Replica>},
    {"log", decodeAs<LogLine>},
    {"run", decodeAs<RunStarted>},
    {"end", decodeAs<RunEnded>},
    {"checkpoint", decodeAs<CheckpointSaved>},
};

}  // namespace

Result<Event> decodeLine(std::string_view line) {
    if (!line.empty() && line.back() == '\n') line.remove_suffix(1);
    if (std::optional<StepsFrame> frame = parseStepsLine(line)) return Event(*std::move(frame));
    const Result<Json> json = parseJson(line, "telemetry line", Decoder::kMaxLine);
    if (!json) return json.problem();
    if (!json.value().is_object()) return Problem{"telemetry line", "is not a JSON object", "the line is ignored"};
    const auto kind = json.value().find("kind");
    if (kind == json.value().end() || !kind->is_string()) {
        return Problem{"telemetry line", "has no \"kind\"", "the line is ignored"};
    }
    const std::string name = kind->get<std::string>();
    for (const Kind& known : kKinds) {
        if (known.name == name) return known.decode(json.value());
    }
    return Problem{"telemetry kind", "\"" + name.substr(0, 40) + "\" is unknown", "update Ringside to see it"};
}

}  // namespace ringside
