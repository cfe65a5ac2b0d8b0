// SPDX-License-Identifier: Apache-2.0
#include "run/read/run_comparison.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/json/json_members.h"
#include "run/read/metrics_reader.h"

namespace ringside {
namespace {

// Reader of one run's steps in order. join() merges consecutive steps into one window, for comparison with a window
// that the other run has recorded.
class StepCursor {
  public:
    explicit StepCursor(MetricsReader& reader) : m_reader(reader) {}

    std::optional<Problem> advance() {
        Result<std::optional<MetricsEntry>> next = m_reader.next();
        if (!next) return next.problem();
        m_step = next.value();
        m_sum = m_step ? m_step->loss * static_cast<double>(m_step->samples) : 0;
        m_joined = 1;
        return {};
    }
    // Reads the next step and merges it into the current window. The losses are added in the same order as in the
    // recorder, so that the means have equal bits.
    std::optional<Problem> join() {
        const MetricsEntry before = *m_step;
        const double sum = m_sum;
        const int joined = m_joined;
        if (auto problem = advance()) return problem;
        if (!m_step) return {};
        MetricsEntry& now = *m_step;
        m_sum += sum;
        m_joined = joined + 1;
        now.from = before.from;
        now.steps += before.steps;
        now.samples += before.samples;
        now.loss = m_sum / static_cast<double>(now.samples);
        if (!(now.lossMinimum <= before.lossMinimum)) now.lossMinimum = before.lossMinimum;
        if (!(now.lossMaximum >= before.lossMaximum)) now.lossMaximum = before.lossMaximum;
        return {};
    }
    const std::optional<MetricsEntry>& step() const { return m_step; }
    int joined() const { return m_joined; }

  private:
    MetricsReader& m_reader;
    std::optional<MetricsEntry> m_step;
    double m_sum = 0;
    int m_joined = 1;
};

bool sameOrNeither(double a, double b) {
    return a == b || (std::isnan(a) && std::isnan(b));
}

// Returns the pair with the largest difference between the two entries: the losses of a step, or the means, minima or
// maxima of a window.
ValuePair furthest(const StepCursor& inA, const StepCursor& inB) {
    const MetricsEntry& a = *inA.step();
    const MetricsEntry& b = *inB.step();
    ValuePair pair{a.step, a.loss, b.loss, 0};
    if (!a.isThinned() && !b.isThinned()) return pair;
    pair.from = std::min(a.from, b.from);
    // Treats tiny differences as equal if the two windows are merged from different numbers of lines, because the
    // rounding errors of their sums differ.
    constexpr double kRounding = 1e-12;
    if (inA.joined() != inB.joined() && pair.relative() < kRounding) pair.b = pair.a;
    for (const ValuePair& other : {ValuePair{a.step, a.lossMinimum, b.lossMinimum, pair.from},
                                   ValuePair{a.step, a.lossMaximum, b.lossMaximum, pair.from}}) {
        if (!sameOrNeither(other.a, other.b) && other.relative() > pair.relative()) pair = other;
    }
    return pair;
}

void compareStep(RunComparison& result, const StepCursor& inA, const StepCursor& inB) {
    const MetricsEntry& a = *inA.step();
    const MetricsEntry& b = *inB.step();
    const ValuePair pair = furthest(inA, inB);
    const double relative = pair.relative();
    const bool first = result.steps == 0;
    result.steps += std::min(a.steps, b.steps);
    result.stepsOnlyA += a.steps - std::min(a.steps, b.steps);
    result.stepsOnlyB += b.steps - std::min(a.steps, b.steps);
    if (!std::isfinite(pair.a) && !std::isfinite(pair.b)) result.notFinite += std::min(a.steps, b.steps);
    if (pair.from > 0) result.thinned += std::min(a.steps, b.steps);
    if (relative > 0 && !result.firstApart) result.firstApart = pair;
    if (relative > result.tolerance && !result.firstBeyond) result.firstBeyond = pair;
    if (first || relative > result.largest.relative()) result.largest = pair;
    if (a.samples != b.samples && !result.sampleCounts) {
        result.sampleCounts = ValuePair{a.step, static_cast<double>(a.samples), static_cast<double>(b.samples)};
    }
}

// Returns the number of the first step that this run trained and no earlier run did: above 1 if the run resumed from a
// checkpoint.
std::int64_t firstOwnStep(const RunRecord& run) {
    if (!run.config || !run.config->is_object()) return 1;
    const Json resume = run.config->value("/training/resume"_json_pointer, Json(""));
    return resume.is_string() && !resume.get<std::string>().empty() ? run.firstStep : 1;
}

std::optional<Problem> skipTo(StepCursor& cursor, std::int64_t step) {
    do {
        if (auto problem = cursor.advance()) return problem;
    } while (cursor.step() && cursor.step()->step < step);
    return {};
}

// True if `shorter` lies within the window `longer` of the other run but ends before it, so that the next step can be
// merged into `shorter`.
bool reachesInto(const MetricsEntry& shorter, const MetricsEntry& longer) {
    return longer.isThinned() && shorter.from >= longer.from && shorter.step < longer.step;
}

std::optional<Problem> compareSteps(RunComparison& result, StepCursor inA, StepCursor inB) {
    if (auto problem = skipTo(inA, result.firstStep)) return problem;
    if (auto problem = skipTo(inB, result.firstStep)) return problem;
    const auto isCompared = [&](const StepCursor& cursor) {
        return cursor.step() && (!result.lastStep || cursor.step()->step <= *result.lastStep);
    };
    while (isCompared(inA) || isCompared(inB)) {
        const bool both = inA.step() && inB.step();
        std::optional<Problem> problem;
        if (both && inA.step()->step == inB.step()->step) {
            compareStep(result, inA, inB);
            problem = inA.advance();
            if (!problem) problem = inB.advance();
        } else if (!inB.step() || (both && inA.step()->step < inB.step()->step)) {
            const std::int64_t steps = inA.step()->steps;
            const bool joins = both && reachesInto(*inA.step(), *inB.step());
            problem = joins ? inA.join() : inA.advance();
            if (!joins || !inA.step()) result.stepsOnlyA += steps;
        } else {
            const std::int64_t steps = inB.step()->steps;
            const bool joins = both && reachesInto(*inB.step(), *inA.step());
            problem = joins ? inB.join() : inB.advance();
            if (!joins || !inB.step()) result.stepsOnlyB += steps;
        }
        if (problem) return problem;
    }
    return {};
}

void compareEpochs(RunComparison& result, const std::vector<EpochMetrics>& a, std::vector<EpochMetrics> b) {
    const auto keyOf = [](const EpochMetrics& one) { return std::pair(one.epoch, one.validation); };
    std::ranges::stable_sort(b, {}, keyOf);
    for (const EpochMetrics& one : a) {
        const auto found = std::ranges::equal_range(b, keyOf(one), {}, keyOf);
        if (found.empty()) continue;
        const EpochMetrics& other = found.back();
        ++result.epochs;
        double& largest = one.validation ? result.validationLossDifference : result.trainLossDifference;
        largest = std::max(largest, ValuePair{one.epoch, one.loss, other.loss}.relative());
        if (!one.validation || (std::isnan(one.accuracy) && std::isnan(other.accuracy))) continue;
        const double apart = std::abs(one.accuracy - other.accuracy);
        result.accuracyDifference =
            std::isnan(apart) ? std::numeric_limits<double>::infinity() : std::max(result.accuracyDifference, apart);
    }
}

// Calls found(key, same) for each key that both lists contain, in ascending order of the keys. same: true if both lists
// have equal hashes for the key.
template <class Key, class Found>
void forEachCommon(const std::vector<RunRecord::Hash<Key>>& a, const std::vector<RunRecord::Hash<Key>>& b,
                   const Found& found) {
    auto other = b.begin();
    for (const auto& one : a) {
        while (other != b.end() && other->key < one.key) ++other;
        if (other != b.end() && other->key == one.key) found(one.key, one.digest == other->digest);
    }
}

void compareShards(RunComparison& result, const RunRecord& a, const RunRecord& b) {
    forEachCommon(a.shards, b.shards, [&](const ShardKey& key, bool same) {
        ++result.shardsCompared;
        if (!same && !result.firstOtherShard) result.firstOtherShard = key;
    });
    if (result.shardsCompared == 0) return;
    result.shards = result.firstOtherShard ? ShardsVerdict::kDifferent : ShardsVerdict::kSame;
}

void compareWeights(RunComparison& result, const RunRecord& a, const RunRecord& b) {
    forEachCommon(a.weights, b.weights, [&](std::int64_t step, bool same) {
        if (step == 0) result.initialWeights = same;
        const bool counts = !result.lastStep || step <= *result.lastStep;
        if (!same && counts && !result.otherWeightsAt) result.otherWeightsAt = step;
    });
}

// Converts a JSON pointer such as "/parallel/world_size" to a path such as "parallel.world_size".
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
        return found == flat.end() ? std::string() : jsonText(*found);
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
    return steps > 0 && stepsOnlyA == 0 && stepsOnlyB == 0 && !firstBeyond && !lastStep && epochLoss <= tolerance;
}

Result<RunComparison> compareRuns(const RunRecord& a, const RunRecord& b, double tolerance) {
    Result<MetricsReader> readerA = MetricsReader::open(a.metrics);
    Result<MetricsReader> readerB = MetricsReader::open(b.metrics);
    if (!readerA) return readerA.problem();
    if (!readerB) return readerB.problem();
    RunComparison result;
    result.tolerance = tolerance;
    result.firstStep = std::max(firstOwnStep(a), firstOwnStep(b));
    for (const auto& last : {a.lastOwnStep, b.lastOwnStep})
        if (last) result.lastStep = std::min(*last, result.lastStep.value_or(*last));
    if (auto problem = compareSteps(result, StepCursor(readerA.value()), StepCursor(readerB.value()))) return *problem;
    compareEpochs(result, readerA.value().epochs(), readerB.value().epochs());
    compareShards(result, a, b);
    compareWeights(result, a, b);
    compareConfigs(result, a, b);
    result.changesOfA = a.changes;
    result.changesOfB = b.changes;
    result.bitsOfA = a.bits;
    result.bitsOfB = b.bits;
    return result;
}

}  // namespace ringside
