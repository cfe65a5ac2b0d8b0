// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "support/catch.h"
#include "watch/doctor/reports.h"
#include "watch/report/watch_report.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

Diagnosis example() {
    Diagnosis diagnosis;
    diagnosis.findings.push_back({"set-epoch-missing", Severity::kMistake, "It repeats.", "my train.py:48",
                                  R"({"epochs":[0,1]})", "Call set_epoch().", 0});
    diagnosis.findings.push_back({"effective-batch", Severity::kNote, "8 samples.", "", "", "Choose.", 0});
    diagnosis.checks.push_back({"hang", CheckResult::kPassed, ""});
    diagnosis.checks.push_back({"loader-slow", CheckResult::kSkipped, "no DataLoader"});
    diagnosis.checks.push_back({"straggler", CheckResult::kCouldNotJudge, "too few steps"});
    return diagnosis;
}

const ReportedRun kRun{"ringsidectl watch --check -- torchrun train.py", "1.0", 2, 50};

}  // namespace

TEST_CASE("the report for a terminal lists findings, what could not be judged and how to repeat it") {
    CHECK(reportText(example(), kRun) == R"(1 mistake, 0 costs, 1 note in 50 steps of 2 ranks.

mistake: It repeats.
  line:   my train.py:48
  remedy: Call set_epoch().
  check:  set-epoch-missing

note: 8 samples.
  remedy: Choose.
  check:  effective-batch

1 check passed:
  All ranks make progress

Could not judge:
  No rank delays the other ranks: too few steps

Skipped:
  Batches arrive in time: no DataLoader

Repeat: ringsidectl watch --check -- torchrun train.py
)");
}

TEST_CASE("the report for a terminal groups checks with the same reason, in lines of at most 100 characters") {
    Diagnosis diagnosis;
    for (const char* code : {"sampler-rank", "sampler-seed", "different-start", "metrics-not-combined", "hang"})
        diagnosis.checks.push_back({code, CheckResult::kSkipped, "the script trains on one rank"});
    CHECK(reportText(diagnosis, {"", "", 1, 7}) == R"(0 mistakes, 0 costs, 0 notes in 7 steps of 1 rank.

0 checks passed.

Skipped:
  5 checks (the script trains on one rank):
    Rank and number of ranks of the sampler, Equal seeds of the samplers,
    Equal initial parameters on all ranks, Metrics combine the results of all ranks,
    All ranks make progress
)");
}

TEST_CASE("the report as JSON has the keys of summary.json") {
    const Json report = reportJson(example(), kRun);
    CHECK(report == Json::parse(R"({"version":1,"ranks":2,"steps":50,
        "command":"ringsidectl watch --check -- torchrun train.py",
        "findings":[{"code":"set-epoch-missing","severity":"mistake","text":"It repeats.","where":"my train.py:48",
                     "evidence":{"epochs":[0,1]},"remedy":"Call set_epoch()."},
                    {"code":"effective-batch","severity":"note","text":"8 samples.","where":null,"evidence":{},
                     "remedy":"Choose."}],
        "checks":[{"code":"hang","result":"passed","why":""},
                  {"code":"loader-slow","result":"skipped","why":"no DataLoader"},
                  {"code":"straggler","result":"could_not_judge","why":"too few steps"}]})"));
}

TEST_CASE("the SARIF log has the required properties of version 2.1.0") {
    const Json log = reportSarif(example(), kRun);
    CHECK(log.at("version") == "2.1.0");
    REQUIRE(log.at("runs").size() == 1);
    const Json& run = log.at("runs").at(0);
    const Json& driver = run.at("tool").at("driver");
    CHECK(driver.at("name") == "Ringside");
    std::set<std::string> rules;
    for (const Json& rule : driver.at("rules")) {
        CHECK(rules.insert(rule.at("id").get<std::string>()).second);
        CHECK(rule.at("shortDescription").at("text").is_string());
        const std::string level = rule.at("defaultConfiguration").at("level");
        CHECK((level == "error" || level == "warning" || level == "note"));
    }
    CHECK(run.at("invocations").at(0).at("executionSuccessful") == true);
    REQUIRE(run.at("results").size() == 2);
    for (const Json& result : run.at("results")) {
        CHECK(result.at("message").at("text").is_string());
        const auto index = result.at("ruleIndex").get<std::size_t>();
        CHECK(driver.at("rules").at(index).at("id") == result.at("ruleId"));
    }
    const Json& first = run.at("results").at(0);
    CHECK(first.at("level") == "error");
    const Json& place = first.at("locations").at(0).at("physicalLocation");
    CHECK(place.at("artifactLocation").at("uri") == "my%20train.py");
    CHECK(place.at("region").at("startLine") == 48);
    CHECK_FALSE(run.at("results").at(1).contains("locations"));
}

TEST_CASE("a line of a script gives no location unless it is a file and a number") {
    for (const char* const where : {"train.py", "train.py:", "train.py:x", "train.py:0", "train.py:99999999999999"}) {
        Diagnosis diagnosis = example();
        diagnosis.findings[0].where = where;
        INFO(where);
        CHECK_FALSE(reportSarif(diagnosis, kRun).at("runs").at(0).at("results").at(0).contains("locations"));
    }
}
