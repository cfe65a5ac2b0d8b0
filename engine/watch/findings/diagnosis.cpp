// SPDX-License-Identifier: Apache-2.0
#include "watch/findings/diagnosis.h"

#include <algorithm>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <utility>

#include "base/errors/errors.h"
#include "watch/findings/failed_hooks.h"

namespace ringside {
namespace {

// Maps the code of each finding to the code of the finding that is reported for it. A reported finding maps to its own
// code, a finding that was left out to the code of the finding that explains it.
using Explanations = std::map<std::string, std::string, std::less<>>;

// Returns the code of a reported finding that explains a check, or an empty string.
std::string explanationOf(const Check& check, const Explanations& known) {
    std::istringstream causes{std::string(check.causes)};
    for (std::string cause; causes >> cause;)
        if (const auto found = known.find(cause); found != known.end()) return found->second;
    return {};
}

Finding findingOf(const Check& check, Judgement&& judgement, std::int64_t timeUs) {
    Finding finding;
    finding.code = check.code;
    finding.severity = judgement.severity.value_or(check.severity);
    finding.text = std::move(judgement.text);
    finding.where = std::move(judgement.where);
    finding.evidence = judgement.evidence.is_object() ? judgement.evidence.dump() : std::string("{}");
    finding.remedy = check.remedy;
    finding.timeUs = timeUs;
    return finding;
}

}  // namespace

bool Diagnosis::hasMistake() const {
    return std::ranges::any_of(findings, [](const Finding& one) { return one.severity == Severity::kMistake; });
}

Diagnosis findingsOf(const Evidence& evidence) {
    return findingsOf(evidence, allChecks());
}

Diagnosis findingsOf(const Evidence& evidence, std::span<const Check> checks) {
    Diagnosis diagnosis;
    Explanations known;
    const std::string missing = evidence.missingReports();
    for (const Check& check : checks) {
        Judgement judgement = withFailedHooks(evidence, check, check.judge(evidence));
        if (judgement.result == CheckResult::kPassed && !missing.empty()) judgement = couldNotJudge(missing);
        const std::string code(check.code);
        if (judgement.result != CheckResult::kFound) {
            diagnosis.checks.push_back({code, judgement.result, std::move(judgement.why)});
            continue;
        }
        const std::string explanation = explanationOf(check, known);
        known[code] = explanation.empty() ? code : explanation;
        if (explanation.empty())
            diagnosis.findings.push_back(findingOf(check, std::move(judgement), evidence.latestReportUs()));
        else
            diagnosis.checks.push_back({code, CheckResult::kSkipped, "explained by " + explanation});
    }
    std::ranges::stable_sort(diagnosis.findings, {}, &Finding::severity);
    return diagnosis;
}

void replaceJudgement(Diagnosis& diagnosis, std::string_view code, Judgement judgement, const Evidence& evidence) {
    const auto checks = allChecks();
    const auto check = std::ranges::find(checks, code, &Check::code);
    const auto outcome = std::ranges::find(diagnosis.checks, code, &CheckOutcome::code);
    RINGSIDE_ASSERT(check != checks.end() && outcome != diagnosis.checks.end());
    const std::string missing = evidence.missingReports();
    judgement = withFailedHooks(evidence, *check, std::move(judgement));
    if (judgement.result == CheckResult::kFound)
        return addSeenFinding(diagnosis, findingOf(*check, std::move(judgement), evidence.latestReportUs()));
    if (judgement.result == CheckResult::kPassed && !missing.empty()) judgement = couldNotJudge(missing);
    outcome->result = judgement.result;
    outcome->why = std::move(judgement.why);
}

void addSeenFinding(Diagnosis& diagnosis, Finding finding) {
    const auto checks = allChecks();
    const auto check = std::ranges::find(checks, finding.code, &Check::code);
    RINGSIDE_ASSERT(check != checks.end());
    Explanations known;
    for (const Finding& one : diagnosis.findings) known[one.code] = one.code;
    if (known.contains(finding.code)) return;
    const auto outcome = std::ranges::find(diagnosis.checks, finding.code, &CheckOutcome::code);
    if (const std::string explanation = explanationOf(*check, known); !explanation.empty()) {
        if (outcome != diagnosis.checks.end())
            *outcome = {finding.code, CheckResult::kSkipped, "explained by " + explanation};
        return;
    }
    if (outcome != diagnosis.checks.end()) diagnosis.checks.erase(outcome);
    finding.severity = check->severity;
    finding.remedy = check->remedy;
    diagnosis.findings.push_back(std::move(finding));
    std::ranges::stable_sort(diagnosis.findings, {}, &Finding::severity);
}

}  // namespace ringside
