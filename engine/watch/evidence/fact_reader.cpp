// SPDX-License-Identifier: Apache-2.0
#include "watch/evidence/fact_reader.h"

#include <cmath>
#include <limits>

#include "telemetry/events/limits.h"

namespace ringside {
namespace {

constexpr std::size_t kMaxFactText = 4096;

std::optional<std::int64_t> wholeNumber(const Json& value) {
    if (!value.is_number()) return {};
    const double number = value.get<double>();
    if (!(std::abs(number) <= static_cast<double>(limits::kMaxCount)) || number != std::trunc(number)) return {};
    return static_cast<std::int64_t>(number);
}

}  // namespace

const Json* memberOf(const Json& facts, std::string_view key) {
    if (!facts.is_object()) return nullptr;
    const auto found = facts.find(std::string(key));
    return found == facts.end() || found->is_null() ? nullptr : &*found;
}

std::optional<std::int64_t> numberOf(const Json& facts, std::string_view key) {
    const Json* const value = memberOf(facts, key);
    return value == nullptr ? std::nullopt : wholeNumber(*value);
}

std::int64_t numberOf(const Json& facts, std::string_view key, std::int64_t missing) {
    return numberOf(facts, key).value_or(missing);
}

std::optional<double> realOf(const Json& facts, std::string_view key) {
    const Json* const value = memberOf(facts, key);
    if (value == nullptr || !value->is_number()) return {};
    const auto number = value->get<double>();
    return std::isfinite(number) ? std::optional(number) : std::nullopt;
}

std::optional<bool> flagOf(const Json& facts, std::string_view key) {
    const Json* const value = memberOf(facts, key);
    if (value == nullptr || !value->is_boolean()) return {};
    return value->get<bool>();
}

std::string textOf(const Json& facts, std::string_view key) {
    const Json* const value = memberOf(facts, key);
    if (value == nullptr || !value->is_string()) return {};
    return value->get_ref<const std::string&>().substr(0, kMaxFactText);
}

std::vector<std::int64_t> numbersOf(const Json& facts, std::string_view key) {
    std::vector<std::int64_t> numbers;
    const Json* const value = memberOf(facts, key);
    if (value == nullptr || !value->is_array()) return numbers;
    for (const Json& one : *value)
        if (const auto number = wholeNumber(one)) numbers.push_back(*number);
    return numbers;
}

std::vector<std::string> textsOf(const Json& facts, std::string_view key) {
    std::vector<std::string> texts;
    const Json* const value = memberOf(facts, key);
    if (value == nullptr || !value->is_array()) return texts;
    for (const Json& one : *value)
        if (one.is_string()) texts.push_back(one.get_ref<const std::string&>().substr(0, kMaxFactText));
    return texts;
}

}  // namespace ringside
