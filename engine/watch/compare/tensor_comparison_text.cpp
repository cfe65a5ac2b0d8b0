// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "watch/compare/tensor_comparison.h"

namespace ringside {
namespace {

std::string short6(double value) {
    return std::isnan(value) ? "none" : fmt::format("{:.6g}", value);
}

std::string tensorRow(std::string name, const std::string& value) {
    name.resize(18, ' ');
    return name + value + '\n';
}

std::string placeOf(const TensorStep& at) {
    std::string text = at.step == 0 ? "before the first step" : "after step " + std::to_string(at.step);
    if (at.optimizer > 0) text += " of optimizer " + std::to_string(at.optimizer + 1);
    return text;
}

std::string factorText(const TensorComparison& result) {
    const int factor = *result.first->factor;
    const std::string whole = std::to_string(std::abs(factor));
    const int ranks = std::max(result.ranksOfA, result.ranksOfB);
    const std::string name = std::abs(factor) == ranks ? (factor < 0 ? " (1/W" : " (W") : std::string();
    const std::string ratio = factor < 0 ? "1/" + whole + " of A's" : whole + " times A's";
    return "B's is " + ratio + (name.empty() ? "" : name + " with W = " + std::to_string(ranks) + " ranks)");
}

std::string stepsOf(const TensorComparison& result) {
    std::string text;
    for (const TensorStep& at : result.steps) {
        if (at.optimizer > 0) continue;
        text += (text.empty() ? "" : ", ") + (at.step == 0 ? std::string("the start") : std::to_string(at.step));
    }
    return text;
}

std::string differenceRows(const TensorComparison& result) {
    const TensorDifference& first = *result.first;
    const std::string kind = first.isGradient ? "gradient" : "weight";
    std::string text = tensorRow("tensors", "first difference " + placeOf(first.at) + ": " + kind + " of " +
                                                first.name + ", norm " + short6(first.a) + " and " + short6(first.b) +
                                                ", " + short6(first.relative) + " relative");
    if (first.factor) text += tensorRow("", factorText(result));
    std::string count =
        std::to_string(result.differing) + " of " + std::to_string(result.tensors) + " " + kind + "s differ there";
    if (result.differing > 1 && result.sameFactor) count += ", all by this factor";
    return text + tensorRow("", count + "; compared: " + stepsOf(result));
}

}  // namespace

std::string TensorComparison::text() const {
    std::string text;
    if (first) text = differenceRows(*this);
    if (equal()) {
        text = tensorRow("tensors", std::to_string(tensors) +
                                        (gradients > 0 ? " weights and their averaged gradients" : " weights") +
                                        " are equal within " + short6(tolerance) +
                                        " (10 times as much after step 1); compared: " + stepsOf(*this));
    }
    if (otherSamples)
        text += tensorRow("", "the samples of step " + std::to_string(*otherSamples) +
                                  " differ: differences from there on are expected");
    for (const std::string& one : notCompared) text += tensorRow("not compared", one);
    return text;
}

Json TensorComparison::toJson() const {
    Json json = {
        {"equal", equal()},           {"tolerance", tolerance},
        {"ranks_a", ranksOfA},        {"ranks_b", ranksOfB},
        {"tensors", tensors},         {"differing", differing},
        {"first", nullptr},           {"other_samples_at_step", otherSamples ? Json(*otherSamples) : Json(nullptr)},
        {"not_compared", notCompared}};
    Json& all = json["steps"] = Json::array();
    for (const TensorStep& at : steps) all.push_back({{"step", at.step}, {"optimizer", at.optimizer}});
    if (!first) return json;
    const auto number = [](double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); };
    json["first"] = {{"step", first->at.step},
                     {"optimizer", first->at.optimizer},
                     {"tensor", first->name},
                     {"of", first->isGradient ? "gradient" : "weight"},
                     {"norm_a", number(first->a)},
                     {"norm_b", number(first->b)},
                     {"ratio", first->a > 0 ? number(first->b / first->a) : Json(nullptr)},
                     {"factor", first->factor ? Json(*first->factor) : Json(nullptr)},
                     {"all_by_this_factor", sameFactor}};
    return json;
}

}  // namespace ringside
