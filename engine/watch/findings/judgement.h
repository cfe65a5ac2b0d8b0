// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/json/json.h"
#include "telemetry/events/events.h"

namespace ringside {

// Result of one check. kCouldNotJudge: the check applies to the script, but evidence is missing.
enum class CheckResult : std::uint8_t { kPassed, kSkipped, kCouldNotJudge, kFound };
constexpr std::array<std::string_view, 4> namesOf(CheckResult) {
    return {"passed", "skipped", "could_not_judge", "found"};
}

// Result of one check with its reason, or with the text of a finding. The code and the remedy of the finding are those
// of the check.
struct Judgement {
    CheckResult result = CheckResult::kPassed;
    std::string why;                   // reason of the result, one clause; empty for kFound
    std::string text;                  // text of the finding: one sentence with the user's own numbers
    std::string where;                 // line of the script to which the finding refers; empty if none is known
    Json evidence;                     // evidence of the finding: a JSON object
    std::optional<Severity> severity;  // severity of the finding; empty: the severity of its check
};

inline Judgement passed(std::string why = {}) {
    return {CheckResult::kPassed, std::move(why), {}, {}, {}, {}};
}
inline Judgement skipped(std::string why) {
    return {CheckResult::kSkipped, std::move(why), {}, {}, {}, {}};
}
inline Judgement couldNotJudge(std::string why) {
    return {CheckResult::kCouldNotJudge, std::move(why), {}, {}, {}, {}};
}
inline Judgement found(std::string text, std::string where, Json evidence) {
    return {CheckResult::kFound, {}, std::move(text), std::move(where), std::move(evidence), {}};
}

}  // namespace ringside
