// SPDX-License-Identifier: Apache-2.0
#include "run/read/run_summary.h"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>
#include <type_traits>

#include "telemetry/events/limits.h"

namespace ringside {
namespace {

template <class T>
constexpr bool kIsOptional = false;
template <class T>
constexpr bool kIsOptional<std::optional<T>> = true;
template <class T>
constexpr bool kIsVector = false;
template <class T>
constexpr bool kIsVector<std::vector<T>> = true;

template <class E, class Wanted>
concept Is = std::same_as<std::remove_const_t<E>, Wanted>;

// The functions named fields() list the members of each part of the summary with their names, in the order of the file.
// Both the writer and the reader use them.
template <class F, Is<SplitMetrics> E>
void fields(F& f, E& e) {
    f("loss", e.loss);
    f("accuracy", e.accuracy);
    f("samples", e.samples);
}

template <class F, Is<FinalMetrics> E>
void fields(F& f, E& e) {
    f.ifKnown(e.epoch, "epoch", e.epoch);
    f.ifKnown(e.epoch, "train_loss", e.trainLoss);
    f.ifKnown(e.epoch, "train_accuracy", e.trainAccuracy);
    f.ifKnown(e.exact, "val_loss", e.validationLoss);
    f.ifKnown(e.exact, "val_accuracy", e.validationAccuracy);
    f.ifKnown(e.exact, "val_samples", e.validationSamples);
    f.ifKnown(e.exact, "val_exact", e.exact);
    f.ifKnown(e.padded, "val_padded", e.padded);
}

template <class F, Is<BestMetrics> E>
void fields(F& f, E& e) {
    f.ifKnown(e.epoch, "epoch", e.epoch);
    f.ifKnown(e.epoch, "val_loss", e.validationLoss);
    f.ifKnown(e.epoch, "val_accuracy", e.validationAccuracy);
}

template <class F, Is<SummaryMismatch> E>
void fields(F& f, E& e) {
    f("rank", e.rank);
    f("epoch", e.epoch);
    f("text", e.text);
    f.ifKnown(e.slot, "step", e.step);
    f.ifKnown(e.slot, "slot", e.slot);
    f.ifKnown(e.slot, "planned", e.planned);
    f.ifKnown(e.slot, "trained", e.trained);
}

template <class F, Is<Straggler> E>
void fields(F& f, E& e) {
    f("rank", e.rank);
    f("phase", e.phase);
    f("share", e.share);
    f("lost_ms_per_step", e.lostMsPerStep);
}

template <class F, Is<RankMemory> E>
void fields(F& f, E& e) {
    f("parameters", e.parameters);
    f("gradients", e.gradients);
    f("optimizer", e.optimizer);
    f("activations", e.activations);
    f("gathered", e.gathered);
    f("buffers", e.buffers);
    f("peak", e.peak);
    // The writer omits a predicted peak that is not known.
    if (!std::is_const_v<E> || e.predictedPeak >= 0) f("predicted_peak", e.predictedPeak);
}

template <class F, Is<BitsBasis> E>
void fields(F& f, E& e) {
    f("transport", e.transport);
    f("layout", e.layout);
    f("isa", e.isa);
    f("warning", e.warning);
}

template <class F, Is<SummaryThrottle> E>
void fields(F& f, E& e) {
    f("gflops", e.gflops);
    f("gbit_per_s", e.gbitPerSecond);
    f("latency_us", e.latencyUs);
    f("kept", e.kept);
}

template <class F, Is<SummaryClock> E>
void fields(F& f, E& e) {
    f("host", e.host);
    f("rank", e.clock.rank);
    f("moved_us", e.clock.movedUs);
    f("error_us", e.clock.errorUs);
    f("round_trip_us", e.clock.roundTripUs);
    f("drift_ppm", e.clock.driftPpm);
}

template <class F, Is<SummaryHostLink> E>
void fields(F& f, E& e) {
    f("host", e.host);
    f("rank", e.rank);
    f("round_trip_ms", e.roundTripMs);
    f("mbit_per_s", e.mbitPerSecond);
    f("slow", e.slow);
}

template <class F, Is<Recording::Stop> E>
void fields(F& f, E& e) {
    f("step", e.step);
    f("why", e.why);
}

template <class F, Is<Recording> E>
void fields(F& f, E& e) {
    f("bytes", e.bytes);
    f("thinned_from_step", e.thinnedFromStep);
    f("lines_left_out", e.linesLeftOut);
    f("stopped", e.stopped);
}

template <class F, Is<SummaryFramework> E>
void fields(F& f, E& e) {
    f("name", e.name);
    f("version", e.version);
}

template <class F, Is<SummaryFinding> E>
void fields(F& f, E& e) {
    f("code", e.code);
    f("severity", e.severity);
    f("text", e.text);
    f("where", e.where);
    f("evidence", e.evidence);
    f("remedy", e.remedy);
}

template <class F, Is<SummaryCheck> E>
void fields(F& f, E& e) {
    f("code", e.code);
    f("result", e.result);
    f("why", e.why);
}

template <class F, Is<EpochSamples> E>
void fields(F& f, E& e) {
    f("epoch", e.epoch);
    f("assigned", e.assigned);
    f("distinct", e.distinct);
    f("twice", e.twice);
    f("never", e.never);
    f("size", e.size);
    f("finished", e.finished);
    f("loader", e.loader);
    f("group", e.group);
    f("per_rank", e.perRank);
    f("why", e.why);
}

template <class F, Is<SamplesLine> E>
void fields(F& f, E& e) {
    f("label", e.label);
    f("text", e.text);
    f("good", e.good);
    f("known", e.known);
}

template <class F, Is<SummarySamples> E>
void fields(F& f, E& e) {
    f("train", e.train);
    f("val", e.val);
    f("validated", e.validated);
    f("validated_trained_on", e.trainedOn);
    f("lines", e.lines);
}

template <class F, Is<RunSummary> E>
void fields(F& f, E& e) {
    f("version", e.version);
    f("name", e.name);
    f("state", e.state);
    f("exit_code", e.exitCode);
    f("first_failed_rank", e.firstFailedRank);
    f("verdict", e.verdict);
    f("last_lines", e.lastLines);
    f("world_size", e.worldSize);
    f("steps", e.steps);
    f("planned_steps", e.plannedSteps);
    f("steps_before", e.stepsBefore);
    f("non_finite_batches", e.nonFiniteBatches);
    f("train_seconds", e.trainSeconds);
    f("paused_seconds", e.pausedSeconds);
    f("steps_per_second", e.stepsPerSecond);
    f("samples_per_second", e.samplesPerSecond);
    f("first_step_seconds", e.firstStepSeconds);
    f("total_seconds", e.totalSeconds);
    f("final", e.last);
    f("best", e.best);
    f("device", e.device);
    f("why_device", e.whyDevice);
    f("cpu_setting", e.cpuSetting);
    f("backend", e.backend);
    f("why_backend", e.whyBackend);
    f("bits_depend_on", e.bitsDependOn);
    f("plan_hashes", e.planHashes);
    f("plan_verified", e.planVerified);
    f("plan_audited_epochs", e.planAuditedEpochs);
    f("plan_mismatch", e.planMismatch);
    f("data_wait_share", e.dataWaitShare);
    f("straggler", e.straggler);
    f("time_verdict", e.timeVerdict);
    f("normalize", e.normalize);
    f("restarts", e.restarts);
    f("weights_sha256", e.weightsSha256);
    f("memory", e.memory);
    f("pace", e.throttle);
    f("bytes_per_step", e.bytesPerStep);
    f("idle_share", e.idleShare);
    f("clocks", e.clocks);
    f("links", e.links);
    f("dropped_telemetry_steps", e.droppedTelemetrySteps);
    f("dropped_telemetry_events", e.droppedTelemetryEvents);
    f("recording", e.recording);
    f("source", e.source);
    f("framework", e.framework);
    f("continues", e.continues);
    f("findings", e.findings);
    f("checks", e.checks);
    f("samples", e.samples);
}

class Writer {
  public:
    template <class T>
    void operator()(const char* name, const T& value) {
        m_json[name] = jsonOf(value);
    }
    template <class K, class T>
    void ifKnown(const std::optional<K>& known, const char* name, const T& value) {
        if (known) (*this)(name, value);
    }
    Json take() { return std::move(m_json); }

  private:
    template <class T>
    static Json jsonOf(const T& value) {
        if constexpr (kIsOptional<T>) {
            return value ? jsonOf(*value) : Json(nullptr);
        } else if constexpr (NamedChoice<T>) {
            return Json(nameOf(value));
        } else if constexpr (std::is_same_v<T, double>) {
            return std::isfinite(value) ? Json(value) : Json(nullptr);
        } else if constexpr (kIsVector<T>) {
            Json all = Json::array();
            for (const auto& one : value) all.push_back(jsonOf(one));
            return all;
        } else if constexpr (requires(Writer & f) { fields(f, value); }) {
            Writer inner;
            fields(inner, value);
            return inner.take();
        } else {
            return Json(value);
        }
    }

    Json m_json = Json::object();
};

class Reader {
  public:
    explicit Reader(const Json& json) : m_json(json) {}
    template <class T>
    void operator()(const char* name, T& value) {
        if (const auto found = m_json.find(name); found != m_json.end() && !found->is_null()) read(*found, value);
    }
    template <class K, class T>
    void ifKnown(const std::optional<K>&, const char* name, T& value) {
        (*this)(name, value);
    }

  private:
    template <class T>
    static bool read(const Json& json, T& value) {
        if constexpr (kIsOptional<T>) {
            typename T::value_type inner{};
            if (!read(json, inner)) return false;
            value = std::move(inner);
        } else if constexpr (std::is_same_v<T, Json>) {
            value = json;
        } else if constexpr (kIsVector<T>) {
            if (!json.is_array()) return false;
            value.clear();
            for (const Json& one : json) {
                typename T::value_type inner{};
                if (read(one, inner)) value.push_back(std::move(inner));
            }
        } else if constexpr (requires(Reader & f) { fields(f, value); }) {
            if (!json.is_object()) return false;
            Reader inner(json);
            fields(inner, value);
        } else {
            return readPlain(json, value);
        }
        return true;
    }
    static bool readPlain(const Json& json, bool& value) {
        if (json.is_boolean()) value = json.get<bool>();
        return json.is_boolean();
    }
    static bool readPlain(const Json& json, std::string& value) {
        if (json.is_string()) value = json.get<std::string>();
        return json.is_string();
    }
    template <NamedChoice T>
    static bool readPlain(const Json& json, T& value) {
        const auto named = json.is_string() ? choiceNamed<T>(json.get_ref<const std::string&>()) : std::nullopt;
        value = named.value_or(value);
        return named.has_value();
    }
    static bool readPlain(const Json& json, double& value) {
        if (json.is_number()) value = json.get<double>();
        return json.is_number();
    }
    template <std::signed_integral T>
    static bool readPlain(const Json& json, T& value) {
        if (!json.is_number_integer()) return false;
        const auto wide = json.get<std::int64_t>();
        constexpr std::int64_t kMax = std::min<std::int64_t>(std::numeric_limits<T>::max(), limits::kMaxCount);
        if (wide < -kMax || wide > kMax) return false;
        value = static_cast<T>(wide);
        return true;
    }

    const Json& m_json;
};

}  // namespace

Json toJson(const RunSummary& summary) {
    Writer writer;
    fields(writer, summary);
    return writer.take();
}

Result<RunSummary> readRunSummary(const std::filesystem::path& file) {
    const Result<Json> json = readJsonFile(file);
    if (!json) return json.problem();
    if (!json.value().is_object()) return Problem{file.string(), "is not a run summary", "use another run directory"};
    RunSummary summary;
    Reader reader(json.value());
    fields(reader, summary);
    return summary;
}

}  // namespace ringside
