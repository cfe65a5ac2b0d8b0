// SPDX-License-Identifier: Apache-2.0
#include "watch/report/watch_report.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "watch/findings/finding_words.h"

namespace ringside {
namespace {

constexpr std::size_t kLineLength = 100;

Json evidenceOf(const Finding& finding) {
    const auto parsed = parseJson(finding.evidence.empty() ? "{}" : finding.evidence, "evidence");
    return parsed ? parsed.value() : Json::object();
}

std::string headText(const Diagnosis& diagnosis, const ReportedRun& run) {
    const auto count = [&](Severity severity) {
        return std::ranges::count(diagnosis.findings, severity, &Finding::severity);
    };
    return counted(count(Severity::kMistake), "mistake") + ", " + counted(count(Severity::kCost), "cost") + ", " +
           counted(count(Severity::kNote), "note") + " in " + counted(run.steps, "step") + " of " +
           counted(run.ranks, "rank") + ".\n";
}

std::string findingText(const Finding& finding) {
    std::string text = "\n";
    text.append(severityName(finding.severity)).append(": ").append(finding.text).append("\n");
    if (!finding.where.empty()) text.append("  line:   ").append(finding.where).append("\n");
    text.append("  remedy: ").append(finding.remedy).append("\n");
    return text.append("  check:  ").append(finding.code).append("\n");
}

// Returns the titles of checks, separated by commas, in lines of at most kLineLength characters.
std::string titlesText(const std::vector<std::string_view>& titles, std::string_view indent) {
    std::string text;
    std::string line(indent);
    for (std::size_t i = 0; i < titles.size(); ++i) {
        const std::string_view comma = i + 1 < titles.size() ? "," : "";
        if (line.size() > indent.size() && line.size() + 1 + titles[i].size() + comma.size() > kLineLength) {
            text.append(line).append("\n");
            line = indent;
        }
        if (line.size() > indent.size()) line.append(" ");
        line.append(titles[i]).append(comma);
    }
    return text.append(line).append("\n");
}

// Returns `heading` and the titles of the checks that have this result. Checks with the same reason form one group.
std::string checksText(const Diagnosis& diagnosis, CheckResult result, std::string_view heading) {
    std::vector<std::pair<std::string_view, std::vector<std::string_view>>> reasons;
    for (const CheckOutcome& one : diagnosis.checks) {
        if (one.result != result) continue;
        auto known = std::ranges::find(reasons, one.why, [](const auto& reason) { return reason.first; });
        if (known == reasons.end()) known = reasons.insert(known, {one.why, {}});
        known->second.push_back(titleOf(one.code));
    }
    std::string text;
    if (!reasons.empty()) text.append("\n").append(heading).append("\n");
    for (const auto& [why, titles] : reasons) {
        text.append("  ");
        if (titles.size() == 1) {
            text.append(titles.front()).append(why.empty() ? "" : ": ").append(why).append("\n");
            continue;
        }
        text.append(counted(static_cast<std::int64_t>(titles.size()), "check"));
        if (!why.empty()) text.append(" (").append(why).append(")");
        text.append(":\n").append(titlesText(titles, "    "));
    }
    return text;
}

std::string passedText(const Diagnosis& diagnosis) {
    std::vector<std::string_view> titles;
    for (const CheckOutcome& one : diagnosis.checks)
        if (one.result == CheckResult::kPassed) titles.push_back(titleOf(one.code));
    std::string text("\n");
    text.append(counted(static_cast<std::int64_t>(titles.size()), "check"));
    if (titles.empty()) return text.append(" passed.\n");
    return text.append(" passed:\n").append(titlesText(titles, "  "));
}

std::string_view levelOf(Severity severity) {
    switch (severity) {
        case Severity::kMistake:
            return "error";
        case Severity::kCost:
            return "warning";
        case Severity::kNote:
            return "note";
    }
    return "none";
}

// Returns the path of a script as a URI reference: characters other than letters, digits and "/-._~" are encoded.
std::string uriOf(std::string_view path) {
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    std::string uri;
    for (const char one : path) {
        const auto byte = static_cast<unsigned char>(one);
        const bool isPlain = (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
                             (byte >= 'A' && byte <= 'Z') || std::string_view("/-._~").find(one) != std::string::npos;
        if (isPlain)
            uri += one;
        else
            uri.append("%").append(1, kDigits[byte >> 4U]).append(1, kDigits[byte & 15U]);
    }
    return uri;
}

Json locationsOf(const std::string& where) {
    Json locations = Json::array();
    const std::size_t colon = where.rfind(':');
    if (where.empty() || colon == std::string::npos) return locations;
    int line = 0;
    for (const char digit : where.substr(colon + 1)) {
        if (digit < '0' || digit > '9' || line > 100'000'000) return locations;
        line = 10 * line + (digit - '0');
    }
    if (line == 0) return locations;
    locations.push_back({{"physicalLocation",
                          {{"artifactLocation", {{"uri", uriOf(where.substr(0, colon))}, {"uriBaseId", "SCRIPT"}}},
                           {"region", {{"startLine", line}}}}}});
    return locations;
}

Json ruleOf(const Check& check) {
    return {{"id", check.code},
            {"shortDescription", {{"text", check.title}}},
            {"help", {{"text", check.remedy}}},
            {"defaultConfiguration", {{"level", levelOf(check.severity)}}}};
}

Json resultOf(const Finding& finding, std::size_t rule) {
    Json result = {{"ruleId", finding.code},
                   {"ruleIndex", rule},
                   {"level", levelOf(finding.severity)},
                   {"message", {{"text", finding.text + " " + finding.remedy}}}};
    if (Json locations = locationsOf(finding.where); !locations.empty()) result["locations"] = std::move(locations);
    result["properties"] = {{"severity", severityName(finding.severity)}, {"evidence", evidenceOf(finding)}};
    return result;
}

}  // namespace

Json findingsJson(const Diagnosis& diagnosis) {
    Json list = Json::array();
    for (const Finding& one : diagnosis.findings)
        list.push_back({{"code", one.code},
                        {"severity", severityName(one.severity)},
                        {"text", one.text},
                        {"where", one.where.empty() ? Json(nullptr) : Json(one.where)},
                        {"evidence", evidenceOf(one)},
                        {"remedy", one.remedy}});
    return list;
}

Json checksJson(const Diagnosis& diagnosis) {
    Json list = Json::array();
    for (const CheckOutcome& one : diagnosis.checks)
        list.push_back({{"code", one.code}, {"result", nameOf(one.result)}, {"why", one.why}});
    return list;
}

std::string reportText(const Diagnosis& diagnosis, const ReportedRun& run) {
    std::string text = headText(diagnosis, run);
    for (const Finding& one : diagnosis.findings) text += findingText(one);
    text += passedText(diagnosis);
    text += checksText(diagnosis, CheckResult::kCouldNotJudge, "Could not judge:");
    text += checksText(diagnosis, CheckResult::kSkipped, "Skipped:");
    if (!run.command.empty()) text.append("\nRepeat: ").append(run.command).append("\n");
    return text;
}

Json reportJson(const Diagnosis& diagnosis, const ReportedRun& run) {
    return {{"version", 1},
            {"ranks", run.ranks},
            {"steps", run.steps},
            {"command", run.command.empty() ? Json(nullptr) : Json(run.command)},
            {"findings", findingsJson(diagnosis)},
            {"checks", checksJson(diagnosis)}};
}

Json reportSarif(const Diagnosis& diagnosis, const ReportedRun& run) {
    Json rules = Json::array();
    for (const Check& check : allChecks()) rules.push_back(ruleOf(check));
    Json results = Json::array();
    for (const Finding& one : diagnosis.findings) {
        const auto checks = allChecks();
        const auto rule = std::ranges::find(checks, one.code, &Check::code) - checks.begin();
        results.push_back(resultOf(one, static_cast<std::size_t>(rule)));
    }
    Json driver = {{"name", "Ringside"}, {"rules", std::move(rules)}};
    if (!run.version.empty()) driver["version"] = run.version;
    Json invocation = {{"executionSuccessful", !run.hasFailed}};
    if (!run.command.empty()) invocation["commandLine"] = run.command;
    Json log = {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"}, {"version", "2.1.0"}};
    log["runs"] = Json::array();
    log["runs"].push_back(
        {{"tool", {{"driver", std::move(driver)}}},
         {"invocations", Json::array({std::move(invocation)})},
         {"results", std::move(results)},
         {"properties", {{"checks", checksJson(diagnosis)}, {"ranks", run.ranks}, {"steps", run.steps}}}});
    return log;
}

}  // namespace ringside
