// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>

#include "base/text/number_text.h"
#include "run/read/run_comparison.h"

namespace ringside {
namespace {

std::string shortNumber(double value) {
    return fmt::format("{:.2g}", value);
}

std::string pairText(const ValuePair& pair) {
    const std::string place = pair.from > 0 ? "steps " + std::to_string(pair.from) + " to " : "step ";
    return fmt::format("{}{}: loss {:.9g} and {:.9g}, relative difference {}", place, pair.at, pair.a, pair.b,
                       shortNumber(pair.relative()));
}

std::string row(std::string name, const std::string& value) {
    name.resize(18, ' ');
    return name + value + '\n';
}

std::string stepsText(const RunComparison& result) {
    std::string text = std::to_string(result.steps) + " in both runs";
    if (result.stepsOnlyA > 0) text += ", " + std::to_string(result.stepsOnlyA) + " only in run A";
    if (result.stepsOnlyB > 0) text += ", " + std::to_string(result.stepsOnlyB) + " only in run B";
    if (result.thinned > 0)
        text += ", " + std::to_string(result.thinned) + " of them as mean, minimum and maximum of several steps";
    if (result.firstStep > 1)
        text += "; from step " + std::to_string(result.firstStep) +
                " on, because one of the runs continues from a checkpoint";
    if (result.lastStep)
        text += "; up to step " + std::to_string(*result.lastStep) +
                ", after which one run restarted its ranks: they may have trained earlier steps again";
    return text;
}

std::string shardsText(const RunComparison& result) {
    if (result.shards == ShardsVerdict::kUnknown)
        return "unknown: the runs have no sample hashes of the same rank and epoch";
    const std::string count = std::to_string(result.shardsCompared);
    if (result.shards == ShardsVerdict::kSame)
        return "the same samples in the same order (pairs of rank and epoch compared: " + count + ")";
    return "other samples, first on rank " + std::to_string(result.firstOtherShard->rank) + " in epoch " +
           std::to_string(result.firstOtherShard->epoch + 1);
}

std::string weightsText(const RunComparison& result) {
    std::string text = "not known at the start";
    if (result.initialWeights)
        text = *result.initialWeights ? "equal to the last bit at the start" : "different from the start";
    if (result.otherWeightsAt && *result.otherWeightsAt > 0)
        text += ", different after step " + std::to_string(*result.otherWeightsAt);
    return text;
}

std::string bitsText(const RunComparison& result) {
    if (!result.bitsOfA && !result.bitsOfB) return {};
    if (!result.bitsOfA || !result.bitsOfB) return row("bits depend on", "unknown for at least one of the runs");
    const std::vector<std::string> differences = differencesOf(*result.bitsOfA, *result.bitsOfB);
    if (differences.empty()) return row("bits depend on", "the same in both: " + textOf(*result.bitsOfA));
    std::string text;
    for (const std::string& one : differences) text += row(text.empty() ? "bits depend on" : "", one);
    const bool bitsDiffer = result.firstApart || result.otherWeightsAt;
    if (result.steps == 0 && !bitsDiffer) return text + row("", "These conditions can change the last bits");
    return text +
           row("", bitsDiffer
                       ? "These conditions change the order or the rounding of sums: different last bits are expected"
                       : "These conditions can change the last bits, but did not here");
}

Json bitsJson(const RunComparison& result) {
    if (!result.bitsOfA || !result.bitsOfB) return nullptr;
    return {{"a", textOf(*result.bitsOfA)},
            {"b", textOf(*result.bitsOfB)},
            {"differences", differencesOf(*result.bitsOfA, *result.bitsOfB)}};
}

// Returns the changes as text, such as "lr 0.25 after step 40, epochs 6 after step 50".
std::string changesText(const std::vector<ControlChange>& changes) {
    std::string text;
    for (const ControlChange& one : changes)
        text += fmt::format("{}{} {:g} after step {}", text.empty() ? "" : ", ", nameOf(one.kind), one.value, one.step);
    return text.empty() ? "none" : text;
}

std::string changesRow(const RunComparison& result) {
    if (result.changesOfA == result.changesOfB) return {};
    return row("live changes", "A: " + changesText(result.changesOfA) + "; B: " + changesText(result.changesOfB));
}

Json changesJson(const std::vector<ControlChange>& changes) {
    Json list = Json::array();
    for (const ControlChange& one : changes)
        list.push_back({{"command", nameOf(one.kind)}, {"value", one.value}, {"step", one.step}});
    return list;
}

std::string configText(const RunComparison& result) {
    if (!result.configsKnown) return row("configuration", "unknown: it is not recorded in one of the runs");
    if (result.configDifferences.empty())
        return row("configuration", result.changesOfA == result.changesOfB ? "the same" : "the same at the start");
    std::string text;
    for (const ConfigDifference& difference : result.configDifferences) {
        text += row(text.empty() ? "configuration" : "",
                    difference.path + ": " + (difference.a.empty() ? "missing" : difference.a) + " and " +
                        (difference.b.empty() ? "missing" : difference.b));
    }
    return text;
}

std::string verdict(const RunComparison& result) {
    const std::string tolerance = shortNumber(result.tolerance);
    if (result.equal() && result.notFinite > 0)
        return "equal within " + tolerance + ", except for " + counted(result.notFinite, "step") +
               " with losses that are not finite in both runs";
    if (result.equal() && result.firstApart) return "equal within " + tolerance;
    if (result.equal() && result.thinned > 0) return "the same losses in all steps that were recorded one by one";
    if (result.equal()) return "the same losses to the last bit";
    if (result.firstBeyond) return "different from step " + std::to_string(result.firstBeyond->at);
    if (result.steps == 0) return "not comparable: no step is in both runs";
    if (result.stepsOnlyA + result.stepsOnlyB > 0) return "different: some steps are in one run only";
    if (result.lastStep)
        return (result.firstApart ? "equal within " + tolerance : "the same losses") +
               " up to the restart after step " + std::to_string(*result.lastStep) +
               "; the steps after it cannot be compared";
    return "different: losses of an epoch differ by more than " + tolerance;
}

Json numberJson(double value) {
    return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json pairJson(const ValuePair& pair) {
    Json json = {{"step", pair.at},
                 {"a", numberJson(pair.a)},
                 {"b", numberJson(pair.b)},
                 {"relative", numberJson(pair.relative())}};
    if (pair.from > 0) json["from"] = pair.from;
    return json;
}

Json pairJson(const std::optional<ValuePair>& pair) {
    return pair ? pairJson(*pair) : Json(nullptr);
}

Json shardsJson(const RunComparison& result) {
    if (result.shards == ShardsVerdict::kUnknown) return nullptr;
    return result.shards == ShardsVerdict::kSame;
}

}  // namespace

std::string RunComparison::text() const {
    std::string text = row("steps", stepsText(*this));
    if (steps > 0) {
        text += row("first difference", firstApart ? pairText(*firstApart) : "nowhere");
        text += row("largest", firstApart ? pairText(largest) : "0");
        if (notFinite > 0)
            text += row("not finite", counted(notFinite, "step") + " in both runs: their losses cannot be compared");
        text += row("beyond " + shortNumber(tolerance), firstBeyond ? "from " + pairText(*firstBeyond) : "nowhere");
    }
    if (sampleCounts) {
        text += row("samples",
                    fmt::format("step {}: {:.0f} and {:.0f}", sampleCounts->at, sampleCounts->a, sampleCounts->b));
    }
    if (epochs > 0) {
        text += row(
            "epochs",
            fmt::format(
                "largest relative difference: training loss {}, validation loss {}; validation accuracy: {:.2f} points",
                shortNumber(trainLossDifference), shortNumber(validationLossDifference), accuracyDifference * 100));
    }
    return text + row("shards", shardsText(*this)) + row("weights", weightsText(*this)) + bitsText(*this) +
           configText(*this) + changesRow(*this) + row("verdict", verdict(*this));
}

Json RunComparison::toJson() const {
    Json differences = Json::array();
    for (const ConfigDifference& each : configDifferences)
        differences.push_back({{"path", each.path}, {"a", each.a}, {"b", each.b}});
    return {{"version", 1},
            {"equal", equal()},
            {"tolerance", tolerance},
            {"verdict", verdict(*this)},
            {"steps", steps},
            {"thinned_steps", thinned},
            {"not_finite", notFinite},
            {"first_step", firstStep},
            {"last_step", lastStep ? Json(*lastStep) : Json(nullptr)},
            {"steps_only_a", stepsOnlyA},
            {"steps_only_b", stepsOnlyB},
            {"first_apart", pairJson(firstApart)},
            {"first_beyond_tolerance", pairJson(firstBeyond)},
            {"largest_difference", steps > 0 ? pairJson(largest) : Json(nullptr)},
            {"same_sample_counts", !sampleCounts},
            {"train_loss_difference", numberJson(trainLossDifference)},
            {"validation_loss_difference", numberJson(validationLossDifference)},
            {"validation_accuracy_difference", numberJson(accuracyDifference)},
            {"same_shards", shardsJson(*this)},
            {"shards_compared", shardsCompared},
            {"same_initial_weights", initialWeights ? Json(*initialWeights) : Json(nullptr)},
            {"other_weights_after_step", otherWeightsAt ? Json(*otherWeightsAt) : Json(nullptr)},
            {"bits_depend_on", bitsJson(*this)},
            {"changes", {{"a", changesJson(changesOfA)}, {"b", changesJson(changesOfB)}}},
            {"config_known", configsKnown},
            {"config_differences", std::move(differences)}};
}

}  // namespace ringside
