// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "telemetry/events/events.h"
#include "telemetry/events/limits.h"

// Fields of each event: order, names and bounds. Each list of fields is used by the writer and by both readers, which
// are passed as `f`. F is FieldWriter (codec_encode.cpp), PlainFields (plain_line.cpp) or Fields (codec_decode.cpp);
// FieldWriter is used with const events.
namespace ringside {

// kRequired: readers reject an event without the field. The writer always writes the field.
enum class Need { kOptional, kRequired };

template <class E>
inline constexpr std::string_view kKind{};
template <>
inline constexpr std::string_view kKind<RunStarted> = "run";
template <>
inline constexpr std::string_view kKind<RankState> = "rank";
template <>
inline constexpr std::string_view kKind<StepsFrame> = "steps";
template <>
inline constexpr std::string_view kKind<Heartbeat> = "heartbeat";
template <>
inline constexpr std::string_view kKind<EpochResult> = "epoch";
template <>
inline constexpr std::string_view kKind<Consumed> = "consumed";
template <>
inline constexpr std::string_view kKind<Replica> = "replica";
template <>
inline constexpr std::string_view kKind<RankMemory> = "memory";
template <>
inline constexpr std::string_view kKind<RankTraffic> = "traffic";
template <>
inline constexpr std::string_view kKind<HostClock> = "clock";
template <>
inline constexpr std::string_view kKind<RankLinks> = "links";
template <>
inline constexpr std::string_view kKind<LogLine> = "log";
template <>
inline constexpr std::string_view kKind<CheckpointSaved> = "checkpoint";
template <>
inline constexpr std::string_view kKind<RunEnded> = "end";
template <>
inline constexpr std::string_view kKind<ConsumedIndices> = "indices";
template <>
inline constexpr std::string_view kKind<Controlled> = "control";
template <>
inline constexpr std::string_view kKind<StepTrace> = "trace";

template <>
inline constexpr std::string_view kKind<ThrottleKept> = "pace";
template <>
inline constexpr std::string_view kKind<GradientView> = "gradients";
template <>
inline constexpr std::string_view kKind<LocalResult> = "local";
template <>
inline constexpr std::string_view kKind<PhaseReached> = "phase";
template <>
inline constexpr std::string_view kKind<LoggedScalar> = "logged";
template <>
inline constexpr std::string_view kKind<Finding> = "finding";
template <>
inline constexpr std::string_view kKind<ScriptFacts> = "script";

// Calls use.operator()<E>() with the event type E that has the kind `name`. Returns false if no event type has this
// kind.
template <class Use>
bool withKind(std::string_view name, const Use& use) {
    return [&]<class... E>(std::type_identity<std::variant<E...>>) {
        return ((name == kKind<E> && (use.template operator()<E>(), true)) || ...);
    }(std::type_identity<Event>{});
}

template <class E, class Wanted>
concept Is = std::same_as<std::remove_const_t<E>, Wanted>;

template <class F, class Rank>
void rankField(F& f, Rank& rank, int least = 0) {
    f.integer("rank", rank, least, limits::kMaxRanks - 1, Need::kRequired);
}

template <class F, class Time>
void timeField(F& f, Time& timeUs) {
    f.integer("time_us", timeUs, -limits::kMaxCount, limits::kMaxCount);
}

template <class F, class P>
void phaseField(F& f, P& phase) {
    std::string word(phaseName(phase));
    f.text("phase", word);
    if constexpr (!std::is_const_v<P>) phase = phaseNamed(word).value_or(Phase::kIdle);
}

// Reads or writes an enumerator by its name. A reader rejects a name that is not in the table of names.
template <class F, class C>
void choiceField(F& f, const char* key, C& choice, const char* complaint) {
    std::string name(nameOf(choice));
    f.text(key, name, Need::kRequired);
    const auto named = choiceNamed<std::remove_const_t<C>>(name);
    if constexpr (!std::is_const_v<C>) choice = named.value_or(choice);
    f.check(key, complaint, [&] { return named.has_value(); });
}

template <class F, Is<RunStarted> E>
void fields(F& f, E& e) {
    // Maximum of steps_per_epoch and of epochs. Their product, the number of steps in the run, then fits into 64 bits.
    constexpr std::int64_t kMax = std::int64_t{1} << 31;
    f.integer("version", e.version, 1, 1000000);
    f.text("name", e.name);
    f.text("run_directory", e.runDirectory);
    f.integer("world_size", e.worldSize, 1, limits::kMaxRanks, Need::kRequired);
    f.text("backend", e.backend);
    f.text("why_backend", e.whyBackend);
    f.text("device", e.device);
    f.text("why_device", e.whyDevice);
    f.text("wanted_backend", e.wantedBackend);
    f.text("wanted_device", e.wantedDevice);
    f.integer("training_samples", e.trainingSamples);
    f.integer("validation_samples", e.validationSamples);
    f.integer("steps_per_epoch", e.stepsPerEpoch, 0, kMax);
    f.integer("epochs", e.epochs, 0, kMax);
    f.integer("batch_size", e.batchSize);
    f.integer("steps_before", e.stepsBefore);
    f.integer("started_unix_ms", e.startedUnixMs, -limits::kMaxCount);
    f.tree("config", e.config);
}

template <class F, Is<RankState> E>
void fields(F& f, E& e) {
    rankField(f, e.rank);
    choiceField(f, "state", e.state, "is not a state of a rank");
    if (f.includes(!e.device.empty())) f.text("device", e.device);
    if (f.includes(e.pid != 0)) f.integer("pid", e.pid);
    if (f.includes(e.missingRank >= 0)) f.integer("missing_rank", e.missingRank, -1, limits::kMaxRanks - 1);
    if (f.includes(!e.host.empty())) f.text("host", e.host);
    if (f.includes(!e.isa.empty())) f.text("isa", e.isa);
    if (f.includes(!e.transport.empty())) f.text("transport", e.transport);
    if (f.includes(!e.hosts.empty())) f.text("hosts", e.hosts);
    timeField(f, e.timeUs);
}

// Keys of the columns with the time in each phase, in the order of the enumerators of Phase.
inline constexpr std::array<const char*, kPhaseCount> kPhaseColumns{
    "connect_ns", "data_ns",      "copy_ns",       "forward_ns",    "backward_ns", "waiting_ns",
    "moving_ns",  "optimizer_ns", "validation_ns", "checkpoint_ns", "paused_ns",   "idle_ns"};

inline bool hasEqualColumnLengths(const StepsFrame& e) {
    const std::size_t n = e.step.size();
    return e.loss.size() == n && e.samples.size() == n && e.endUs.size() == n &&
           (e.correct.empty() || e.correct.size() == n) && (e.gradientNorm.empty() || e.gradientNorm.size() == n) &&
           (e.dataUs.empty() || e.dataUs.size() == n) && std::ranges::all_of(e.phaseNs, [&e](const auto& column) {
               return column.empty() || column.size() == e.traced.size();
           });
}

// True if the columns that only thinned lines contain are all present with equal lengths, or all absent. In a thinned
// line, an entry covers several steps.
inline bool hasEqualRangeColumns(const StepsFrame& e) {
    const std::size_t n = e.from.size();
    const std::size_t accuracies = e.correct.empty() ? 0 : n;
    const std::size_t norms = e.gradientNorm.empty() ? 0 : n;
    return (n == 0 || n == e.step.size()) && e.count.size() == n && e.lossMinimum.size() == n &&
           e.lossMaximum.size() == n && e.accuracyMinimum.size() == accuracies &&
           e.accuracyMaximum.size() == accuracies && e.normMinimum.size() == norms && e.normMaximum.size() == norms;
}

// For a thinned line, in which each entry covers several steps: true if each entry starts after the last step of the
// previous entry, and does not contain more logged steps than the steps that it covers.
inline bool hasOrderedRanges(const StepsFrame& e) {
    for (std::size_t i = 0; i < e.from.size(); ++i) {
        const std::int64_t before = i > 0 ? e.step[i - 1] : 0;
        if (e.from[i] <= before || e.from[i] > e.step[i] || e.count[i] > e.step[i] - e.from[i] + 1) return false;
    }
    return true;
}

template <class F, Is<StepsFrame> E>
void fields(F& f, E& e) {
    using namespace limits;
    rankField(f, e.rank);
    f.integer("epoch", e.epoch);
    f.real("lr", e.learningRate);
    f.column("step", e.step, 1, kMaxCount, Need::kRequired);
    f.column("loss", e.loss, Need::kRequired);
    if (f.includes(!e.correct.empty())) f.column("correct", e.correct);
    f.column("samples", e.samples, 0, kMaxWindow, Need::kRequired);
    f.column("end_us", e.endUs, -kMaxCount, kMaxCount, Need::kRequired);
    if (f.includes(!e.gradientNorm.empty())) f.column("gradient_norm", e.gradientNorm);
    if (f.includes(!e.dataUs.empty())) f.column("data_us", e.dataUs, 0, kMaxCount);
    if (f.includes(!e.traced.empty())) f.column("traced", e.traced, 1, kMaxCount);
    for (std::size_t phase = 0; phase < e.phaseNs.size(); ++phase)
        if (f.includes(!e.phaseNs[phase].empty())) f.column(kPhaseColumns[phase], e.phaseNs[phase], 0, kMaxCount);
    if (f.includes(e.isThinned())) {
        f.column("from", e.from, 1, kMaxCount);
        f.column("count", e.count, 1, kMaxCount);
        f.column("loss_min", e.lossMinimum);
        f.column("loss_max", e.lossMaximum);
        if (f.includes(!e.correct.empty())) f.column("accuracy_min", e.accuracyMinimum);
        if (f.includes(!e.correct.empty())) f.column("accuracy_max", e.accuracyMaximum);
        if (f.includes(!e.gradientNorm.empty())) f.column("gradient_norm_min", e.normMinimum);
        if (f.includes(!e.gradientNorm.empty())) f.column("gradient_norm_max", e.normMaximum);
    }
    f.check("steps", "has columns of different lengths",
            [&] { return hasEqualColumnLengths(e) && hasEqualRangeColumns(e); });
    f.check("from", "has ranges of steps that are invalid or overlap", [&] { return hasOrderedRanges(e); });
    f.check("correct", "is not a number of correct predictions", [&] {
        return std::ranges::all_of(e.correct, [](double c) { return c >= 0 && c <= static_cast<double>(kMaxWindow); });
    });
    f.check("step", "has numbers that are not in ascending order",
            [&] { return std::ranges::adjacent_find(e.step, std::ranges::greater_equal{}) == e.step.end(); });
}

template <class F, Is<Heartbeat> E>
void fields(F& f, E& e) {
    rankField(f, e.rank);
    f.integer("step", e.step);
    f.integer("epoch", e.epoch);
    phaseField(f, e.phase);
    f.integer("collective", e.collective);
    f.integer("resident_bytes", e.residentBytes);
    f.integer("dropped_steps", e.droppedSteps);
    if (f.includes(e.droppedEvents > 0)) f.integer("dropped_events", e.droppedEvents);
    f.integer("batches", e.batches);
    timeField(f, e.timeUs);
    if (f.includes(e.stalledUs > 0)) f.integer("still_us", e.stalledUs);
    if (!f.includes(e.gpu.isKnown())) return;
    f.real("gpu_percent", e.gpu.utilisationPercent);
    f.integer("gpu_used_bytes", e.gpu.usedBytes, -1);
    f.integer("gpu_total_bytes", e.gpu.totalBytes, -1);
    f.real("gpu_celsius", e.gpu.celsius);
    f.real("gpu_watts", e.gpu.watts);
}

template <class F, Is<EpochResult> E>
void fields(F& f, E& e) {
    f.integer("epoch", e.epoch, 0, limits::kMaxCount, Need::kRequired);
    choiceField(f, "split", e.split, "is neither train nor val");
    f.real("loss", e.loss);
    f.real("accuracy", e.accuracy);
    f.integer("samples", e.samples);
    f.real("loss_padded", e.lossPadded);
    f.real("accuracy_padded", e.accuracyPadded);
    f.integer("samples_padded", e.samplesPadded);
    f.integer("step", e.step);
    f.integer("non_finite_batches", e.nonFiniteBatches);
    timeField(f, e.timeUs);
}

template <class F, Is<Consumed> E>
void fields(F& f, E& e) {
    rankField(f, e.rank);
    f.integer("epoch", e.epoch, 0, limits::kMaxCount, Need::kRequired);
    f.integer("count", e.count);
    f.text("sha256", e.sha256, Need::kRequired);
}

template <class F, Is<ConsumedIndices> E>
void fields(F& f, E& e) {
    rankField(f, e.rank);
    f.integer("epoch", e.epoch, 0, limits::kMaxCount, Need::kRequired);
    f.integer("step", e.step);
    f.integer("slot", e.slot, 0, limits::kMaxBatch, Need::kRequired);
    f.column("index", e.index, 0, limits::kMaxBatch, Need::kRequired);
    if (f.includes(e.loader > 0)) f.integer("loader", e.loader);
}

// True if all times of the trace lie within the step and the phases are in ascending order of time. If the length is
// -1, the step was unfinished when it was reported, and the last phase has no end.
inline bool isOrdered(const StepTrace& e) {
    const auto inside = [&](std::int64_t at) { return at >= 0 && (e.lengthNs < 0 || at <= e.lengthNs); };
    return std::ranges::is_sorted(e.at) && std::ranges::all_of(e.at, inside);
}

inline bool isShare(double value) {
    return value >= 0 && value <= 1;  // the comparison is false for NaN
}

template <class F, Is<StepTrace> E>
void fields(F& f, E& e) {
    using namespace limits;
    rankField(f, e.rank);
    f.integer("epoch", e.epoch);
    f.integer("step", e.step, 1, kMaxCount, Need::kRequired);
    f.integer("begin_ns", e.beginNs, -kMaxCount, kMaxCount, Need::kRequired);
    f.integer("length_ns", e.lengthNs, -1, kMaxCount, Need::kRequired);
    f.integer("cpu_ns", e.cpuNs);
    f.integer("queued_ns", e.queuedNs, -1);
    if (f.includes(!e.planned.isWhole())) {
        f.real("planned_compute", e.planned.compute);
        f.real("planned_update", e.planned.update);
    }
    if (f.includes(!e.phase.empty())) {
        f.column("phase", e.phase, 0, kPhaseCount - 1);
        f.column("at_ns", e.at, 0, kMaxCount);
        f.column("used_ns", e.cpu, 0, kMaxCount);
    }
    if (f.includes(!e.layer.empty())) f.column("layer", e.layer, -1, kMaxColumn);
    if (f.includes(!e.collective.empty())) {
        f.column("group", e.group, 0, kMaxCount);
        f.column("collective", e.collective, 1, kMaxCount);
        f.column("of_kind", e.kind, 0, 255);
        f.column("bytes", e.bytes, 0, kMaxCount);
        f.column("ready_ns", e.ready, -kMaxCount, kMaxCount);
        f.column("arrived_ns", e.arrived, -kMaxCount, kMaxCount);
        f.column("last_ns", e.last, -1, kMaxCount);
        f.column("ended_ns", e.ended, -kMaxCount, kMaxCount);
    }
    if (f.includes(!e.message.empty())) {
        f.column("message", e.message, 0, kMaxCount);
        f.column("message_peer", e.messagePeer, 0, kMaxRanks - 1);
        f.column("message_bytes", e.messageBytes, 0, kMaxCount);
        f.column("message_sent", e.messageSent, 0, 1);
        f.column("message_at_ns", e.messageAt, -kMaxCount, kMaxCount);
        f.column("message_ended_ns", e.messageEnded, -kMaxCount, kMaxCount);
    }
    f.check("planned_compute", "is not between 0 and 1", [&] { return isShare(e.planned.compute); });
    f.check("planned_update", "is not between 0 and 1", [&] { return isShare(e.planned.update); });
    f.check("trace", "has columns of different lengths", [&] { return e.hasEqualColumnLengths(); });
    f.check("at_ns", "has times that are not in ascending order or not within the step", [&] { return isOrdered(e); });
}

template <class F, Is<Replica> E>
void fields(F& f, E& e) {
    rankField(f, e.rank);
    f.integer("step", e.step, 0, limits::kMaxCount, Need::kRequired);
    f.text("hash", e.hash, Need::kRequired);
    if (f.includes(!e.checksums.empty())) {
        f.lines("names", e.names);
        f.column("checksums", e.checksums, 0, limits::kMaxCount);
    }
    f.check("checksums", "does not have one entry per name", [&] { return e.names.size() == e.checksums.size(); });
}

template <class F, Is<PhaseReached> E>
void fields(F& f, E& e) {
    constexpr std::int64_t kMaxLayers = 1 << 20;
    rankField(f, e.rank);
    f.integer("step", e.step);
    phaseField(f, e.phase);
    timeField(f, e.timeUs);
    if (f.includes(e.layer >= 0)) f.integer("layer", e.layer, -1, kMaxLayers);
    if (f.includes(!e.action.empty())) f.text("action", e.action);
}

template <class F, Is<LocalResult> E>
void fields(F& f, E& e) {
    rankField(f, e.rank);
    f.integer("epoch", e.epoch, 0, limits::kMaxCount, Need::kRequired);
    f.real("loss", e.loss);
    f.real("accuracy", e.accuracy);
    f.integer("samples", e.samples);
    f.integer("step", e.step);
}

template <class F, Is<ThrottleKept> E>
void fields(F& f, E& e) {
    rankField(f, e.rank);
    f.integer("step", e.step);
    f.flag("kept", e.kept);
    f.real("times", e.times);
}

// True if the lengths of the lists match: `cells` has rows x columns values for each tensor, and each other list has
// one entry per tensor or is empty.
inline bool hasMatchingLengths(const GradientView& e) {
    const std::size_t tensors = e.names.size();
    const auto fits = [tensors](const auto& column) { return column.empty() || column.size() == tensors; };
    if (e.rows.size() != e.columns.size() || !fits(e.rows) || !fits(e.tensorNorms) || !fits(e.checksums)) return false;
    std::int64_t cells = 0;
    for (std::size_t i = 0; i < e.rows.size(); ++i) cells += e.rows[i] * e.columns[i];
    return static_cast<std::size_t>(cells) == e.cells.size();
}

template <class F, Is<GradientView> E>
void fields(F& f, E& e) {
    using namespace limits;
    rankField(f, e.rank);
    f.integer("epoch", e.epoch);
    f.integer("step", e.step, 1, kMaxCount, Need::kRequired);
    choiceField(f, "moment", e.moment, "is not own, mean or change");
    f.real("norm", e.norm);
    f.real("cosine", e.cosine);
    f.lines("names", e.names);
    if (f.includes(!e.cells.empty())) {
        f.column("rows", e.rows, 1, kMaxSide);
        f.column("columns", e.columns, 1, kMaxSide);
        f.column("cells", e.cells);
    }
    if (f.includes(!e.tensorNorms.empty())) f.column("norms", e.tensorNorms);
    if (f.includes(!e.ring.empty())) f.column("ring", e.ring);
    if (f.includes(!e.checksums.empty())) f.column("checksums", e.checksums, 0, kMaxCount);
    timeField(f, e.timeUs);
    f.check("cells", "do not match the numbers of rows and columns of the tensors",
            [&] { return hasMatchingLengths(e); });
}

template <class F, Is<RankMemory> E>
void fields(F& f, E& e) {
    rankField(f, e.rank);
    f.integer("parameters", e.parameters, 0, limits::kMaxCount);
    f.integer("gradients", e.gradients, 0, limits::kMaxCount);
    f.integer("optimizer", e.optimizer, 0, limits::kMaxCount);
    f.integer("activations", e.activations, 0, limits::kMaxCount);
    f.integer("gathered", e.gathered, 0, limits::kMaxCount);
    f.integer("buffers", e.buffers, 0, limits::kMaxCount);
    f.integer("peak", e.peak, 0, limits::kMaxCount);
    if (f.includes(e.predictedPeak >= 0)) f.integer("predicted_peak", e.predictedPeak, -1, limits::kMaxCount);
}

template <class F, Is<RankTraffic> E>
void fields(F& f, E& e) {
    rankField(f, e.rank);
    f.integer("step", e.step, 0, limits::kMaxCount);
    f.integer("bytes", e.bytes, 0, limits::kMaxCount, Need::kRequired);
}

template <class F, Is<HostClock> E>
void fields(F& f, E& e) {
    // maximum offset between the clocks of two hosts; large, because hosts may have been booted years apart
    constexpr std::int64_t kMax = std::int64_t{1} << 61;
    rankField(f, e.rank);
    f.integer("offset_us", e.offsetUs, -kMax, kMax, Need::kRequired);
    f.integer("moved_us", e.movedUs, -kMax, kMax);
    f.integer("error_us", e.errorUs, 0, limits::kMaxCount, Need::kRequired);
    f.integer("round_trip_us", e.roundTripUs, 0, limits::kMaxCount, Need::kRequired);
    f.real("drift_ppm", e.driftPpm);
    timeField(f, e.timeUs);
}

template <class F, Is<RankLinks> E>
void fields(F& f, E& e) {
    using namespace limits;
    rankField(f, e.rank);
    f.column("peer", e.peer, 0, kMaxRanks - 1, Need::kRequired);
    f.column("round_trip_us", e.roundTripUs, 0, kMaxCount, Need::kRequired);
    f.column("bytes", e.bytes, 0, kMaxCount, Need::kRequired);
    f.column("busy_us", e.busyUs, 0, kMaxCount, Need::kRequired);
    if (f.includes(!e.waitUs.empty())) f.column("wait_us", e.waitUs, 0, kMaxCount);
    f.integer("length_us", e.lengthUs, 1, kMaxCount, Need::kRequired);
    timeField(f, e.timeUs);
    f.check("links", "has columns of different lengths", [&] { return e.hasEqualColumnLengths(); });
}

template <class F, Is<LogLine> E>
void fields(F& f, E& e) {
    rankField(f, e.rank, -1);
    std::string level(nameOf(e.level));
    f.text("level", level);
    if constexpr (!std::is_const_v<E>) e.level = choiceNamed<LogLevel>(level).value_or(LogLevel::kInfo);
    f.text("text", e.text, Need::kRequired);
    timeField(f, e.timeUs);
}

template <class F, Is<CheckpointSaved> E>
void fields(F& f, E& e) {
    f.integer("step", e.step);
    f.text("path", e.path, Need::kRequired);
    timeField(f, e.timeUs);
}

template <class F, Is<RunEnded> E>
void fields(F& f, E& e) {
    choiceField(f, "state", e.state, "is not finished, stopped or failed");
    f.integer("exit_code", e.exitCode, 0, 255);
    f.integer("first_failed_rank", e.firstFailedRank, -1, limits::kMaxRanks - 1);
    f.text("verdict", e.verdict);
    f.lines("last_lines", e.lastLines);
    f.integer("steps", e.steps);
    f.real("train_seconds", e.trainSeconds);
    f.real("steps_per_second", e.stepsPerSecond);
    f.real("samples_per_second", e.samplesPerSecond);
    timeField(f, e.timeUs);
    if (f.includes(e.planVerified.has_value())) f.flag("plan_verified", e.planVerified);
    if (f.includes(e.auditedEpochs > 0)) f.integer("plan_audited_epochs", e.auditedEpochs);
    if (f.includes(!e.planMismatch.empty())) f.text("plan_mismatch", e.planMismatch);
    if (f.includes(!e.timeVerdict.empty())) f.text("time_verdict", e.timeVerdict);
}

template <class F, Is<Controlled> E>
void fields(F& f, E& e) {
    choiceField(f, "command", e.command, "is not a command of a run");
    f.real("value", e.value);
    f.integer("step", e.step);
    f.integer("epoch", e.epoch);
    std::string after(e.after ? phaseName(*e.after) : "");
    if (f.includes(!after.empty())) f.text("after", after);
    if constexpr (!std::is_const_v<E>) e.after = phaseNamed(after);
    timeField(f, e.timeUs);
}

template <class F, Is<LoggedScalar> E>
void fields(F& f, E& e) {
    rankField(f, e.rank);
    f.text("tag", e.tag, Need::kRequired);
    f.integer("step", e.step);
    f.real("value", e.value);
    if (f.includes(!e.source.empty())) f.text("source", e.source);
    timeField(f, e.timeUs);
}

// True if the text begins and ends with a brace. This suffices, because the decoder has already parsed the text as
// JSON.
inline bool isObjectText(std::string_view json) {
    return json.starts_with('{') && json.ends_with('}');
}

template <class F, Is<Finding> E>
void fields(F& f, E& e) {
    f.text("code", e.code, Need::kRequired);
    std::string severity(severityName(e.severity));
    f.text("severity", severity, Need::kRequired);
    const std::optional<Severity> named = severityNamed(severity);
    if constexpr (!std::is_const_v<E>) e.severity = named.value_or(Severity::kNote);
    f.text("text", e.text, Need::kRequired);
    if (f.includes(!e.where.empty())) f.text("where", e.where);
    if (f.includes(!e.evidence.empty())) f.tree("evidence", e.evidence);
    f.text("remedy", e.remedy);
    if (f.includes(e.withdrawn.has_value())) f.flag("withdrawn", e.withdrawn);
    timeField(f, e.timeUs);
    f.check("severity", "is not mistake, cost or note", [&] { return named.has_value(); });
    f.check("evidence", "is not a JSON object", [&] { return e.evidence.empty() || isObjectText(e.evidence); });
}

template <class F, Is<ScriptFacts> E>
void fields(F& f, E& e) {
    rankField(f, e.rank);
    f.text("about", e.about, Need::kRequired);
    f.tree("facts", e.facts);
    timeField(f, e.timeUs);
    f.check("facts", "is not a JSON object", [&] { return isObjectText(e.facts); });
}

}  // namespace ringside
