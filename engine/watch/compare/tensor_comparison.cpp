// SPDX-License-Identifier: Apache-2.0
#include "watch/compare/tensor_comparison.h"

#include <algorithm>
#include <cmath>

namespace ringside {
namespace {

constexpr double kNoise = 1e-6;        // share of the norm of all tensors below which a tensor consists of rounding
                                       // errors only
constexpr double kReducedTimes = 100;  // factor of the tolerance for 16-bit weights
constexpr double kLaterTimes = 10;     // factor of the tolerance at steps after step 1
constexpr double kFactorWithin = 1e-3;

double lengthOf(const std::vector<TensorNumbers>& numbers) {
    double sum = 0;
    for (const TensorNumbers& one : numbers) sum += std::isfinite(one.norm) ? one.norm * one.norm : 0;
    return std::sqrt(sum);
}

// Returns the larger of two relative differences: that of the norms, divided by the larger norm, and that of the sums,
// divided by the largest sum that a tensor with this norm can have: norm * sqrt(size).
double relativeOf(const TensorNumbers& a, const TensorNumbers& b, std::int64_t size) {
    const double norm = std::max(a.norm, b.norm);
    if (norm == 0) return 0;
    const double most = norm * std::sqrt(static_cast<double>(std::max<std::int64_t>(size, 1)));
    return std::max(std::abs(a.norm - b.norm) / norm, std::abs(a.sum - b.sum) / most);
}

std::optional<int> factorOf(const TensorNumbers& a, const TensorNumbers& b, std::int64_t size, int maxRanks) {
    if (a.norm == 0 || b.norm == 0) return {};
    const double ratio = b.norm / a.norm;
    const double whole = std::round(ratio > 1 ? ratio : 1 / ratio);
    if (whole < 2 || whole > maxRanks) return {};
    const double factor = ratio > 1 ? whole : 1 / whole;
    const TensorNumbers scaled{a.norm * factor, a.sum * factor};
    if (relativeOf(scaled, b, size) > kFactorWithin) return {};
    return static_cast<int>(ratio > 1 ? whole : -whole);
}

// Compares the gradients or the weights of one step. Adds the first difference to the result.
class StepComparison {
  public:
    StepComparison(TensorComparison& result, const TensorStep& at, double tolerance)
        : m_result(result), m_at(at), m_tolerance(tolerance) {}

    void compare(const TensorCheck& a, const TensorCheck& b, bool gradients) {
        const auto& inA = gradients ? a.gradients : a.weights;
        const auto& inB = gradients ? b.gradients : b.weights;
        const double noise = kNoise * std::max(lengthOf(inA), lengthOf(inB));
        for (std::size_t i = 0; i < inA.size(); ++i) {
            if (std::isnan(inA[i].norm) && std::isnan(inB[i].norm)) continue;
            const bool oneIsMissing = std::isnan(inA[i].norm) || std::isnan(inB[i].norm);
            const double relative = oneIsMissing ? 1 : relativeOf(inA[i], inB[i], a.sizes[i]);
            ++(gradients ? m_result.gradients : m_result.weights);
            if (relative <= m_tolerance) continue;
            if (!oneIsMissing && std::max(inA[i].norm, inB[i].norm) < noise) continue;
            add({.at = m_at,
                 .name = b.names[i].starts_with("optimizer ") ? a.names[i] : b.names[i],
                 .isGradient = gradients,
                 .a = inA[i].norm,
                 .b = inB[i].norm,
                 .relative = relative,
                 .factor = factorOf(inA[i], inB[i], a.sizes[i], std::max(m_result.ranksOfA, m_result.ranksOfB))});
        }
    }

  private:
    void add(TensorDifference difference) {
        if (!m_result.first) {
            m_result.sameFactor = difference.factor.has_value();
            m_result.first = std::move(difference);
            m_result.differing = 1;
            return;
        }
        if (difference.isGradient != m_result.first->isGradient) return;
        m_result.sameFactor &= difference.factor == m_result.first->factor;
        ++m_result.differing;
    }

    TensorComparison& m_result;
    const TensorStep m_at;
    const double m_tolerance;
};

std::optional<std::string> reasonAgainst(const TensorRecord& one, const char* name) {
    if (!one.isWatched()) return std::string(name) + " is not a watched run";
    if (one.checks().empty())
        return std::string(name) +
               " has no numbers of tensors: no optimizer step was seen, its weights are sharded, or "
               "they are on several devices";
    return {};
}

void addLimits(TensorComparison& result, const TensorRecord& a, const TensorRecord& b) {
    for (const auto& [record, name] : {std::pair(&a, "A"), std::pair(&b, "B")}) {
        if (record->unreportedTensors() > 0)
            result.notCompared.push_back(std::to_string(record->unreportedTensors()) + " tensors of " + name +
                                         ": sharded, complex, or beyond the first 400");
        if (record->badFacts() > 0)
            result.notCompared.push_back(std::to_string(record->badFacts()) + " damaged facts of " + name);
    }
}

void compareSamples(TensorComparison& result, const TensorRecord& a, const TensorRecord& b) {
    if (a.samples().empty() || b.samples().empty()) {
        result.notCompared.push_back("samples of the steps: one of the runs has recorded no indices");
        return;
    }
    for (const auto& [step, samples] : a.samples()) {
        if (step > std::max<std::int64_t>(result.steps.back().step, 1)) return;
        const auto other = b.samples().find(step);
        if (other != b.samples().end() && other->second == samples) continue;
        result.otherSamples = step;
        return;
    }
}

}  // namespace

TensorComparison compareTensors(const TensorRecord& a, const TensorRecord& b, double tolerance,
                                std::optional<std::int64_t> lastStep) {
    TensorComparison result{.tolerance = tolerance * (a.is16Bit() || b.is16Bit() ? kReducedTimes : 1),
                            .ranksOfA = a.worldSize(),
                            .ranksOfB = b.worldSize(),
                            .steps = {},
                            .first = {},
                            .otherSamples = {},
                            .notCompared = {}};
    for (const auto& reason : {reasonAgainst(a, "A"), reasonAgainst(b, "B")}) {
        if (reason) result.notCompared.push_back("tensors: " + *reason);
    }
    if (!result.notCompared.empty()) return result;
    addLimits(result, a, b);
    std::int64_t otherShapes = 0;
    bool unequal = false;
    for (const auto& [at, check] : a.checks()) {
        if (lastStep && at.step > *lastStep) break;
        const auto found = b.checks().find(at);
        if (found == b.checks().end()) continue;
        if (found->second.sizes != check.sizes) {
            ++otherShapes;
            continue;
        }
        result.steps.push_back(at);
        result.tensors = std::max(result.tensors, static_cast<std::int64_t>(check.sizes.size()));
        StepComparison step(result, at, result.tolerance * (at.step > 1 ? kLaterTimes : 1));
        const bool averaged = !a.unequalGradients().contains(at) && !b.unequalGradients().contains(at);
        unequal |= !averaged;
        if (averaged) step.compare(check, found->second, true);
        step.compare(check, found->second, false);
        if (result.first) break;
    }
    if (otherShapes > 0)
        result.notCompared.push_back("tensors at " + std::to_string(otherShapes) +
                                     " steps: the models have tensors of different sizes");
    if (!result.steps.empty() && result.weights == 0)
        result.notCompared.push_back("weights: no weight tensor has finite values in both runs");
    if (unequal)
        result.notCompared.push_back(
            "gradients at some steps: the ranks of a run have different gradients, so the script does not average "
            "them");
    if (lastStep)
        result.notCompared.push_back("tensors after step " + std::to_string(*lastStep) +
                                     ": the ranks of a run were restarted");
    if (result.steps.empty() && otherShapes == 0)
        result.notCompared.push_back("tensors: no step was measured in both runs");
    if (!result.steps.empty()) compareSamples(result, a, b);
    return result;
}

}  // namespace ringside
