// SPDX-License-Identifier: Apache-2.0
#include "launch/channels/control_command.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "base/json/json_members.h"

namespace ringside {
namespace {

constexpr std::size_t kMaxControlLine = 4096;

constexpr double kNoDefault = -1;

struct ControlRule {
    ControlKind kind;
    bool needsValue = false;
    bool whole = false;
    double least = 0;
    double most = 0;
    // value of a command that is sent without a value; kNoDefault: the command must be sent with a value
    double unsaid = 0;
};

constexpr std::array<ControlRule, 11> kControlRules{{
    {ControlKind::kStop},
    {ControlKind::kPause},
    {ControlKind::kResume},
    {ControlKind::kStep, true, true, 1, 1e9, 1},
    {ControlKind::kPhase},
    {ControlKind::kRate, true, false, 0, 1e6, kNoDefault},
    {ControlKind::kLearningRate, true, false, 0, 1e6, kNoDefault},
    {ControlKind::kEpochs, true, true, 1, 1e9, kNoDefault},
    {ControlKind::kCheckpoint},
    {ControlKind::kRecord, true, true, 1, 1e5, 50},
    {ControlKind::kReplicas, true, true, 1, 1000, 1},
}};

// Returns the rule for the value of a command that users can send; null for the commands that only the run itself sends
// (ControlKind::kTraceEvery, kRestart).
const ControlRule* ruleOf(ControlKind kind) {
    const auto* const found = std::ranges::find(kControlRules, kind, &ControlRule::kind);
    return found == kControlRules.end() ? nullptr : found;
}

std::string allNames() {
    std::string names;
    for (const ControlRule& rule : kControlRules) names.append(names.empty() ? "" : ", ").append(nameOf(rule.kind));
    return names;
}

std::string inQuotes(std::string_view text) {
    constexpr std::size_t kMax = 40;
    std::string out(1, '"');
    out.append(text.substr(0, kMax)).push_back('"');
    return out;
}

Problem noSuchCommand(std::string_view name) {
    return {"control", inQuotes(name).append(" is not a command"), std::string("commands are ").append(allNames())};
}

std::string limitText(double value) {
    return std::to_string(static_cast<long long>(value));
}

Problem badValue(const ControlRule& rule, std::string_view given) {
    std::string limits = rule.whole ? "give a whole number from " : "give a number from ";
    limits.append(limitText(rule.least)).append(" to ").append(limitText(rule.most));
    std::string message = given.empty() ? "needs a value" : "is ";
    return {std::string("control ").append(nameOf(rule.kind)), message.append(given.substr(0, 40)), limits};
}

Result<ControlCommand> commandOf(const ControlRule& rule, double value, std::string_view given) {
    const bool inside = value >= rule.least && value <= rule.most;  // the comparison is false for NaN
    if (!inside || (rule.whole && value != std::floor(value))) return badValue(rule, given);
    return ControlCommand{rule.kind, value};
}

const ControlRule* ruleNamed(std::string_view name) {
    const std::optional<ControlKind> kind = choiceNamed<ControlKind>(name);
    return kind ? ruleOf(*kind) : nullptr;
}

Result<ControlCommand> withoutValue(const ControlRule& rule) {
    if (!rule.needsValue) return ControlCommand{rule.kind, 0};
    if (rule.unsaid == kNoDefault) return badValue(rule, "");
    return ControlCommand{rule.kind, rule.unsaid};
}

}  // namespace

bool needsValue(ControlKind kind) {
    const ControlRule* const rule = ruleOf(kind);
    return rule != nullptr && rule->needsValue;
}

std::string encodeControl(const ControlCommand& command) {
    Json json = {{"kind", nameOf(command.kind)}};
    if (needsValue(command.kind)) json["value"] = command.value;
    return json.dump() + "\n";
}

Result<ControlCommand> decodeControl(std::string_view line) {
    const Result<Json> json = parseJson(line, "control line", kMaxControlLine);
    if (!json) return json.problem();
    if (!json.value().is_object())
        return Problem{"control line", "is not a JSON object", "send an object such as {\"kind\":\"pause\"}"};
    const auto kind = json.value().find("kind");
    if (kind == json.value().end() || !kind->is_string())
        return Problem{"control line", "has no \"kind\"", "commands are " + allNames()};
    const std::string name = kind->get<std::string>();
    const ControlRule* rule = ruleNamed(name);
    if (rule == nullptr) return noSuchCommand(name);
    const auto value = json.value().find("value");
    if (value == json.value().end() || !rule->needsValue) return withoutValue(*rule);
    if (!value->is_number()) return badValue(*rule, jsonText(*value));
    return commandOf(*rule, value->get<double>(), value->dump());
}

Result<ControlCommand> parseControl(std::span<const std::string> words) {
    if (words.empty()) return Problem{"control", "has no command", "commands are " + allNames()};
    const ControlRule* rule = ruleNamed(words[0]);
    if (rule == nullptr) return noSuchCommand(words[0]);
    if (words.size() == 1) return withoutValue(*rule);
    const std::string& given = words[1];
    if (!rule->needsValue || words.size() > 2)
        return Problem{std::string("control ").append(nameOf(rule->kind)),
                       std::string("has ").append(inQuotes(words[rule->needsValue ? 2 : 1])).append(" after it"),
                       "omit this word"};
    if (rule->kind == ControlKind::kRate && given == "full") return ControlCommand{rule->kind, 0};
    double value = 0;
    const char* const end = given.data() + given.size();
    const auto [rest, error] = std::from_chars(given.data(), end, value);
    if (error != std::errc{} || rest != end) return badValue(*rule, inQuotes(given));
    return commandOf(*rule, value, given);
}

}  // namespace ringside
