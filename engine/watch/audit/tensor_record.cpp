// SPDX-License-Identifier: Apache-2.0
#include "watch/audit/tensor_record.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "run/read/run_events.h"
#include "telemetry/events/limits.h"
#include "telemetry/events/script_topic.h"
#include "watch/evidence/fact_reader.h"

namespace ringside {
namespace {

// Relative difference up to which the averaged gradients of two ranks count as equal.
constexpr double kEqualRanks = 1e-6;

// Returns the 64-bit finalizer of SplitMix64 (Steele, Lea, Flood 2014).
std::uint64_t mixed(std::uint64_t value) {
    value += 0x9E3779B97F4A7C15U;
    value = (value ^ (value >> 30U)) * 0xBF58476D1CE4E5B9U;
    value = (value ^ (value >> 27U)) * 0x94D049BB133111EBU;
    return value ^ (value >> 31U);
}

// Returns the `count` numbers of an array, with NaN for null; empty if there is no array or if its length is not
// `count`.
std::optional<std::vector<double>> realsOf(const Json& facts, std::string_view key, std::size_t count) {
    const Json* const found = memberOf(facts, key);
    if (found == nullptr || !found->is_array() || found->size() != count) return {};
    std::vector<double> reals;
    for (const Json& one : *found)
        reals.push_back(one.is_number() ? one.get<double>() : std::numeric_limits<double>::quiet_NaN());
    return reals;
}

std::optional<std::vector<TensorNumbers>> pairsOf(const Json& facts, std::string_view norm, std::string_view sum,
                                                  std::size_t count) {
    const auto norms = realsOf(facts, norm, count), sums = realsOf(facts, sum, count);
    if (!norms || !sums) return {};
    std::vector<TensorNumbers> pairs;
    for (std::size_t i = 0; i < count; ++i) pairs.push_back({(*norms)[i], (*sums)[i]});
    return pairs;
}

std::optional<TensorCheck> checkOf(const Json& facts) {
    TensorCheck check{
        .names = textsOf(facts, "names"), .sizes = numbersOf(facts, "sizes"), .weights = {}, .gradients = {}};
    const std::size_t count = check.names.size();
    auto weights = pairsOf(facts, "norm", "sum", count);
    auto gradients = pairsOf(facts, "gradient_norm", "gradient_sum", count);
    if (!weights || !gradients || check.sizes.size() != count || count > limits::kMaxColumn) return {};
    check.weights = std::move(*weights);
    check.gradients = std::move(*gradients);
    return check;
}

bool areEqual(const std::vector<TensorNumbers>& a, const std::vector<TensorNumbers>& b) {
    return std::ranges::equal(a, b, [](const TensorNumbers& one, const TensorNumbers& other) {
        if (std::isnan(one.norm) || std::isnan(other.norm)) return std::isnan(one.norm) == std::isnan(other.norm);
        const double most = kEqualRanks * std::max(one.norm, other.norm);
        return std::abs(one.norm - other.norm) <= most && std::abs(one.sum - other.sum) <= most;
    });
}

}  // namespace

void TensorRecord::addTensors(int rank, const Json& facts) {
    std::optional<TensorCheck> check = checkOf(facts);
    TensorStep step{numberOf(facts, "step", -1), numberOf(facts, "optimizer", -1)};
    if (!check || step.step < 0 || step.optimizer < 0) {
        ++m_bad;
        return;
    }
    if (m_attempt > 0) {
        if (step.step == 0) {
            if (step.optimizer == 0) addStart(*check);
            return;
        }
        step.step += m_stepsBefore;  // after a restart, an optimizer counts its steps from 1 again
    }
    m_unreportedTensors = std::max(m_unreportedTensors, numberOf(facts, "left_out", 0));
    const auto known = m_checks.find(step);
    if (known == m_checks.end()) {
        if (m_checks.size() >= kMaxChecks) return;
        m_checks.emplace(step, std::move(*check));
        m_rankOf[step] = rank;
        return;
    }
    if (rank == m_rankOf[step]) {
        known->second = std::move(*check);
        return;
    }
    if (!areEqual(known->second.gradients, check->gradients)) m_unequal.insert(step);
    if (rank > m_rankOf[step]) return;
    known->second = std::move(*check);
    m_rankOf[step] = rank;
}

// Begins an attempt when its first process starts. The step numbers of the attempt follow the latest finished step of
// the earlier attempts. If the record contains no finished step, they follow the latest step whose batches were
// recorded.
void TensorRecord::beginAttempt(int attempt) {
    if (attempt <= m_attempt) return;
    m_attempt = attempt;
    m_stepsBefore = m_lastStep > 0 ? m_lastStep : m_lastTrained;
}

// Finds the step from which restarted ranks continue, by the weights of the first rank that reports them.
void TensorRecord::addStart(const TensorCheck& start) {
    const std::int64_t step = m_stepsBefore;
    if (!m_discarded.empty() && m_discarded.back().to == step) {
        if (m_discarded.back().attempt == m_attempt) return;
        // the previous attempt finished no step, so its initial weights are replaced by those of this attempt
        m_discarded.pop_back();
    }
    if (m_discarded.size() >= kMaxChecks) return;
    Discarded steps{.from = {}, .to = step, .attempt = m_attempt};
    for (const auto& [at, check] : m_checks) {
        const bool fits = at.optimizer == 0 && at.step <= step && check.sizes == start.sizes &&
                          areEqual(check.weights, start.weights);
        if (fits) steps.from = at.step;
    }
    m_discarded.push_back(steps);
}

void TensorRecord::add(const Event& event) {
    m_attempts.apply(event);
    if (const auto* trained = std::get_if<ConsumedIndices>(&event)) {
        m_lastTrained = std::max(m_lastTrained, trained->step);
        if (trained->step < 1 || trained->step > kMaxSteps) return;
        StepSamples& samples = m_samples[trained->step];
        samples.count += static_cast<std::int64_t>(trained->index.size());
        for (const std::int64_t index : trained->index)
            samples.hash +=
                mixed(static_cast<std::uint64_t>(index) ^ (static_cast<std::uint64_t>(trained->loader) << 40U));
    }
    if (const auto* frame = std::get_if<StepsFrame>(&event); frame != nullptr && !frame->step.empty())
        m_lastStep = std::max(m_lastStep, frame->step.back());
    const auto* script = std::get_if<ScriptFacts>(&event);
    if (script == nullptr) return;
    m_watched = true;
    const std::optional<ScriptTopic> topic = topicOf(*script);
    const bool isRead =
        topic == ScriptTopic::kTensors || topic == ScriptTopic::kProcess || topic == ScriptTopic::kDataParallel;
    if (!isRead) return;
    const Json facts = Json::parse(script->facts, nullptr, false);
    if (!facts.is_object()) {
        ++m_bad;
        return;
    }
    if (topic == ScriptTopic::kTensors) addTensors(script->rank, facts);
    if (topic == ScriptTopic::kProcess) {
        beginAttempt(m_attempts.attemptOf(script->rank));
        m_worldSize = static_cast<int>(
            std::clamp<std::int64_t>(numberOf(facts, "world_size", 1), m_worldSize, limits::kMaxRanks));
    }
    const std::vector<std::string> types = textsOf(facts, "types");
    m_is16Bit |=
        std::ranges::any_of(types, [](const std::string& one) { return one == "bfloat16" || one == "float16"; });
}

std::optional<std::int64_t> resumedStep(const TensorRecord& before, const TensorRecord& after) {
    const auto start = after.checks().find({0, 0});
    if (start == after.checks().end()) return {};
    std::optional<std::int64_t> step;
    for (const auto& [at, check] : before.checks()) {
        const bool fits = at.optimizer == 0 && at.step > 0 && check.sizes == start->second.sizes &&
                          areEqual(check.weights, start->second.weights);
        if (fits) step = at.step;
    }
    return step;
}

Result<TensorRecord> readTensorRecord(const std::filesystem::path& run) {
    static constexpr std::array<std::string_view, 4> kKinds = {"script", "indices", "steps", "control"};
    TensorRecord record;
    const Result<std::int64_t> bad = readRunEvents(run, kKinds, [&](const Event& event) { record.add(event); });
    if (!bad) return bad.problem();
    return record;
}

}  // namespace ringside
