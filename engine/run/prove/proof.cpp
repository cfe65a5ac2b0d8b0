// SPDX-License-Identifier: Apache-2.0
#include "run/prove/proof.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/json/json.h"
#include "run/checkpoint/safetensors.h"

namespace ringside {
namespace {

std::vector<float> floatsIn(const std::string& bytes) {
    std::vector<float> values(bytes.size() / sizeof(float));
    std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
    return values;
}

double largestDifference(const std::string& one, const std::string& other) {
    const std::vector<float> a = floatsIn(one);
    const std::vector<float> b = floatsIn(other);
    double largest = 0;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
        largest = std::max(largest, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
    return largest;
}

std::string layerOf(const std::string& tensor) {
    const auto dot = tensor.rfind('.');
    return dot == std::string::npos ? tensor : tensor.substr(0, dot);
}

bool hasFiniteWeights(const std::filesystem::path& path) {
    const Result<SafetensorsFile> file = SafetensorsFile::open(path);
    return !file || std::ranges::all_of(file.value().entries(), [&](const auto& entry) {
        return std::ranges::all_of(floatsIn(file.value().bytes(entry.second)),
                                   [](float value) { return std::isfinite(value); });
    });
}

Result<std::string> hashOfFile(const std::filesystem::path& path) {
    const Result<SafetensorsFile> file = SafetensorsFile::open(path);
    if (!file) return file.problem();
    return file.value().sha256();
}

}  // namespace

Json ProofLine::toJson() const {
    Json json = {{"strategy", strategy},
                 {"reference", reference},
                 {"equal", equal ? Json(*equal) : Json(nullptr)},
                 {"sha256", sha256.empty() ? Json(nullptr) : Json(sha256)},
                 {"first", nullptr}};
    if (first)
        json["first"] = {{"step", first->step},
                         {"layer", first->layer},
                         {"tensor", first->tensor},
                         {"largest_difference", first->largest},
                         {"why", first->why}};
    if (!problem.empty()) json["problem"] = problem;
    return json;
}

std::string ProofLine::text() const {
    std::string line = strategy;
    line.resize(std::max<std::size_t>(line.size(), 22), ' ');
    if (!equal) return line + " cannot be tested: " + problem;
    if (strategy == reference) return line + " " + sha256.substr(0, 16);
    if (*equal) return line + " " + sha256.substr(0, 16) + "  same bits as " + reference;
    if (!first) return line + " " + sha256.substr(0, 16) + "  bits differ from " + reference;
    return fmt::format("{} {}  differs from {} after step {} in {} by up to {:.3g}{}", line, sha256.substr(0, 16),
                       reference, first->step, first->tensor, first->largest,
                       first->why.empty() ? "" : ": " + first->why);
}

void ProofTally::add(const ProofLine& line) {
    if (!line.equal)
        ++m_untried;
    else if (line.strategy == line.reference)
        return;
    else if (*line.equal)
        ++m_equal;
    else
        ++(line.isAsExpected ? m_expected : m_wrong);
}

std::string ProofTally::text() const {
    const auto counted = [](std::int64_t count, const char* one, const char* more) {
        return ", " + std::to_string(count) + (count == 1 ? one : more);
    };
    std::string text = std::to_string(m_equal) + " equal";
    if (m_expected > 0) text += counted(m_expected, " differs as expected", " differ as expected");
    if (m_wrong > 0) text += counted(m_wrong, " differs and must not differ", " differ and must not differ");
    if (m_untried > 0)
        text += counted(m_untried, " could not be tested, so its result is unknown",
                        " could not be tested, so their results are unknown");
    return text;
}

std::optional<FirstDifference> compareWeights(const std::filesystem::path& one, const std::filesystem::path& other) {
    const Result<SafetensorsFile> a = SafetensorsFile::open(one);
    const Result<SafetensorsFile> b = SafetensorsFile::open(other);
    if (!a || !b) return FirstDifference{.why = (a ? b : a).problem().text()};
    for (const auto& [name, entry] : a.value().entries()) {
        const SafetensorsFile::Entry* const same = b.value().find(name);
        if (same == nullptr)
            return FirstDifference{0, layerOf(name), name, 0, "the tensor is missing in one of the two files"};
        const std::string mine = a.value().bytes(entry);
        const std::string theirs = b.value().bytes(*same);
        if (mine != theirs) return FirstDifference{0, layerOf(name), name, largestDifference(mine, theirs), ""};
    }
    return {};
}

const ProofCase& Proof::findCase(const std::string& name) const {
    const auto found = std::ranges::find(m_cases, name, &ProofCase::name);
    RINGSIDE_ASSERT(found != m_cases.end());
    return *found;
}

const Result<std::filesystem::path>& Proof::weightsOf(const ProofCase& one, std::int64_t steps) {
    const auto key = std::pair(one.name, steps);
    const auto found = m_weights.find(key);
    if (found != m_weights.end()) return found->second;
    return m_weights.emplace(key, m_run(one, steps)).first->second;
}

// Finds the first step with a difference by bisection, assuming that two runs that differ after a step also differ
// after all later steps.
std::optional<FirstDifference> Proof::firstDifference(const ProofCase& one, const ProofCase& other) {
    std::int64_t same = 0;
    std::int64_t differs = one.config.training.maxSteps;
    const auto differenceAfter = [&](std::int64_t steps) -> std::optional<FirstDifference> {
        const Result<std::filesystem::path>& mine = weightsOf(one, steps);
        const Result<std::filesystem::path>& theirs = weightsOf(other, steps);
        if (!mine || !theirs) return {};
        return compareWeights(mine.value(), theirs.value());
    };
    std::optional<FirstDifference> found = differenceAfter(differs);
    while (differs - same > 1) {
        const std::int64_t middle = (same + differs) / 2;
        const auto there = differenceAfter(middle);
        (there ? differs : same) = middle;
        if (there) found = there;
    }
    if (found) found->step = differs;
    return found;
}

ProofLine Proof::prove(const ProofCase& one) {
    ProofLine line{.strategy = one.name, .reference = one.reference};
    const std::int64_t steps = one.config.training.maxSteps;
    const Result<std::filesystem::path>& mine = weightsOf(one, steps);
    const ProofCase& other = findCase(one.reference);
    const Result<std::filesystem::path>& theirs = weightsOf(other, steps);
    if (!mine || !theirs) {
        line.problem = (mine ? theirs : mine).problem().text();
        return line;
    }
    const Result<std::string> hash = hashOfFile(mine.value());
    line.sha256 = hash ? hash.value() : "";
    const auto difference = compareWeights(mine.value(), theirs.value());
    line.equal = !difference;
    line.isAsExpected = *line.equal || !one.mustBeEqual;
    if (*line.equal && !hasFiniteWeights(mine.value())) {
        line.equal.reset();
        line.problem = "the weights are not finite after " + std::to_string(steps) +
                       " steps, so that equal bits prove nothing: lower optimizer.lr";
        return line;
    }
    if (*line.equal) return line;
    line.first = firstDifference(one, other);
    if (line.first && line.first->why.empty())
        line.first->why = one.mustBeEqual ? "an error in Ringside: these weights must be equal" : one.why;
    return line;
}

}  // namespace ringside
