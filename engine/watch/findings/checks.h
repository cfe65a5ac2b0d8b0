// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "watch/evidence/evidence.h"
#include "watch/findings/judgement.h"

namespace ringside {

// One check of the doctor. Each check is a pure function of the evidence and finds at most one problem.
struct Check {
    std::string_view code;   // identifier of the check and of its finding in files: "set-epoch-missing"
    std::string_view title;  // property that is checked, as a short noun phrase
    Severity severity = Severity::kNote;
    std::string_view remedy;  // instruction for the user: what to change in the script
    // Codes of other checks, separated by spaces. If a check in the list has a finding, it explains the finding of this
    // check, which is then not reported.
    std::string_view causes;
    Judgement (*judge)(const Evidence& evidence) = nullptr;
};

// Returns all checks. A check for a cause comes before the checks whose findings this cause explains.
std::span<const Check> allChecks();

// Returns the title of the check with this code, or `code` itself if no check has it.
std::string_view titleOf(std::string_view code);

}  // namespace ringside
