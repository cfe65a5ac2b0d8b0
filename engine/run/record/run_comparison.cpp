// SPDX-License-Identifier: Apache-2.0
#include "run/record/run_comparison.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace ringside {
namespace {

void compareStep(RunComparison& result, const StepMetrics& a, const StepMetrics& b) {
    const ValuePair pair{a.step, a.loss, b.loss};
    const double relative = pair.relative();
    ++result.steps;
    if (relative > 0 && !result.firstApart) result.firstApart = pair;
    if (relative > result.tolerance && !result.firstBeyond) result.firstBeyond = pair;
    if (result.steps == 1 || relative > result.largest.relative()) result.largest = pair;
    if (a.samples != b.samples && !result.sampleCounts) {
        result.sampleCounts = ValuePair{a.step, static_cast<double>(a.samples), static_cast<double>(b.samples)};
    }
}

// The first step that is the run's own: later than 1 where it goes on from a checkpoint.
std::int64_t firstOwnStep(const RunRecord& run) {
    if (!run.config || !run.config->is_object() || run.steps.empty()) return 1;
    const Json resume = run.config->value("/training/resume"_json_pointer, Json(""));
    return resume.is_string() && !resume.get<std::string>().empty() ? run.steps.front().step : 1;
}

void compareSteps(RunComparison& result, const RunRecord& a, const RunRecord& b) {
    result.firstStep = std::max(firstOwnStep(a), firstOwnStep(b));
    const auto start = [&](const RunRecord& run) {
        return std::ranges::lower_bound(run.steps, result.firstStep, {}, &StepMetrics::step);
    };
    auto inA = start(a);
    auto inB = start(b);
    const std::int64_t ofA = a.steps.end() - inA;
    const std::int64_t ofB = b.steps.end() - inB;
    while (inA != a.steps.end() && inB != b.steps.end()) {
        if (inA->step == inB->step) {
            compareStep(result, *inA++, *inB++);
        } else if (inA->step < inB->step) {
            ++inA;
        } else {
            ++inB;
        }
    }
    result.stepsOnlyA = ofA - result.steps;
    result.stepsOnlyB = ofB - result.steps;
}

void compareEpochs(RunComparison& result, const RunRecord& a, const RunRecord& b) {
    std::map<std::pair<std::int64_t, std::string>, EpochMetrics> inB;
    for (const EpochMetrics& one : b.epochs) inB[{one.epoch, one.split}] = one;
    for (const EpochMetrics& one : a.epochs) {
        const auto found = inB.find({one.epoch, one.split});
        if (found == inB.end()) continue;
        const EpochMetrics& other = found->second;
        ++result.epochs;
        const bool validation = one.split == "val";
        double& largest = validation ? result.validationLossDifference : result.trainLossDifference;
        largest = std::max(largest, ValuePair{one.epoch, one.loss, other.loss}.relative());
        if (!validation || (std::isnan(one.accuracy) && std::isnan(other.accuracy))) continue;
        const double apart = std::abs(one.accuracy - other.accuracy);
        result.accuracyDifference =
            std::isnan(apart) ? std::numeric_limits<double>::infinity() : std::max(result.accuracyDifference, apart);
    }
}

void compareShards(RunComparison& result, const RunRecord& a, const RunRecord& b) {
    for (const auto& [key, hash] : a.shards) {
        const auto other = b.shards.find(key);
        if (other == b.shards.end()) continue;
        ++result.shardsCompared;
        if (hash != other->second && !result.firstOtherShard) result.firstOtherShard = key;
    }
    if (result.shardsCompared == 0) return;
    result.shards = result.firstOtherShard ? ShardsVerdict::kDifferent : ShardsVerdict::kSame;
}

void compareWeights(RunComparison& result, const RunRecord& a, const RunRecord& b) {
    for (const auto& [step, hash] : a.weights) {
        const auto other = b.weights.find(step);
        if (other == b.weights.end()) continue;
        const bool same = hash == other->second;
        if (step == 0) result.initialWeights = same;
        if (!same && !result.otherWeightsAt) result.otherWeightsAt = step;
    }
}

// "/parallel/world_size" -> "parallel.world_size"
std::string dotted(std::string pointer) {
    std::ranges::replace(pointer, '/', '.');
    return pointer.empty() ? pointer : pointer.substr(1);
}

void compareConfigs(RunComparison& result, const RunRecord& a, const RunRecord& b) {
    result.configsKnown = a.config && b.config;
    if (!result.configsKnown) return;
    const Json flatA = a.config->flatten();
    const Json flatB = b.config->flatten();
    std::vector<std::string> keys;
    for (const Json* flat : {&flatA, &flatB}) {
        for (const auto& entry : flat->items()) {
            if (std::ranges::find(keys, entry.key()) == keys.end()) keys.push_back(entry.key());
        }
    }
    const auto shown = [](const Json& flat, const std::string& key) {
        const auto found = flat.find(key);
        return found == flat.end() ? std::string() : found->dump(-1, ' ', false, Json::error_handler_t::replace);
    };
    for (const std::string& key : keys) {
        const ConfigDifference difference{dotted(key), shown(flatA, key), shown(flatB, key)};
        if (difference.a != difference.b) result.configDifferences.push_back(difference);
    }
}

}  // namespace

double ValuePair::relative() const {
    if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
    const double difference = std::abs(a - b) / std::max(std::abs(a), std::abs(b));
    return std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference;
}

bool RunComparison::equal() const {
    const double epochLoss = std::max(trainLossDifference, validationLossDifference);
    return steps > 0 && stepsOnlyA == 0 && stepsOnlyB == 0 && !firstBeyond && epochLoss <= tolerance;
}

RunComparison compareRuns(const RunRecord& a, const RunRecord& b, double tolerance) {
    RunComparison result;
    result.tolerance = tolerance;
    compareSteps(result, a, b);
    compareEpochs(result, a, b);
    compareShards(result, a, b);
    compareWeights(result, a, b);
    compareConfigs(result, a, b);
    return result;
}

}  // namespace ringside
