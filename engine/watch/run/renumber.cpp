// SPDX-License-Identifier: Apache-2.0
#include "watch/run/renumber.h"

#include <array>
#include <string_view>
#include <vector>

#include "base/json/json.h"
#include "base/json/json_members.h"

namespace ringside {
namespace {

void add(std::vector<std::int64_t>& steps, std::int64_t stepsBefore) {
    for (std::int64_t& step : steps) step += stepsBefore;
}

// Keys of facts whose value is the number of a step, counted in the process.
constexpr std::array<std::string_view, 2> kStepMembers{"from_step", "after_step"};

void renumberFacts(ScriptFacts& facts, std::int64_t stepsBefore) {
    Result<Json> parsed = parseJson(facts.facts, "facts");
    if (!parsed || !parsed.value().is_object()) return;
    Json& json = parsed.value();
    bool hasChanged = false;
    for (const std::string_view member : kStepMembers) {
        const auto step = json.find(member);
        if (step == json.end() || !step->is_number_integer()) continue;
        *step = step->get<std::int64_t>() + stepsBefore;
        hasChanged = true;
    }
    if (hasChanged) facts.facts = jsonText(json);
}

}  // namespace

bool renumberSteps(Event& event, std::int64_t stepsBefore) {
    if (stepsBefore == 0) return true;
    if (auto* const steps = std::get_if<StepsFrame>(&event)) {
        add(steps->step, stepsBefore);
        add(steps->from, stepsBefore);
        add(steps->traced, stepsBefore);
    } else if (auto* const indices = std::get_if<ConsumedIndices>(&event)) {
        indices->step += stepsBefore;
    } else if (auto* const trace = std::get_if<StepTrace>(&event)) {
        trace->step += stepsBefore;
    } else if (auto* const beat = std::get_if<Heartbeat>(&event)) {
        beat->step += stepsBefore;
    } else if (auto* const facts = std::get_if<ScriptFacts>(&event)) {
        renumberFacts(*facts, stepsBefore);
    } else if (auto* const replica = std::get_if<Replica>(&event)) {
        if (replica->step == 0) return false;
        replica->step += stepsBefore;
    }
    return true;
}

}  // namespace ringside
