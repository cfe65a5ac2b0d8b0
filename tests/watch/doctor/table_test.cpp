// SPDX-License-Identifier: Apache-2.0
#include <set>
#include <sstream>

#include "base/system/files.h"
#include "support/catch.h"
#include "support/places.h"
#include "watch/doctor/reports.h"

using namespace ringside;
using namespace ringside::testing;

TEST_CASE("each check of the table is complete, and a cause comes before what it explains") {
    std::set<std::string> known;
    for (const Check& check : allChecks()) {
        INFO(check.code);
        CHECK(known.insert(std::string(check.code)).second);
        CHECK(check.judge != nullptr);
        CHECK_FALSE(check.title.empty());
        CHECK(check.remedy.ends_with('.'));
        std::istringstream causes{std::string(check.causes)};
        for (std::string cause; causes >> cause;) CHECK(known.contains(cause));
    }
    CHECK(known.size() >= 30);
}

TEST_CASE("without any evidence each check is skipped or cannot judge") {
    const Diagnosis diagnosis = findingsOf(Evidence{});
    CHECK(diagnosis.findings.empty());
    CHECK(diagnosis.checks.size() == allChecks().size());
    for (const CheckOutcome& one : diagnosis.checks) {
        INFO(one.code);
        CHECK(one.result != CheckResult::kPassed);
        CHECK_FALSE(one.why.empty());
    }
}

TEST_CASE("no check passes if reports are missing") {
    const auto whyNot = [](const auto& change) {
        Reports reports = healthyDdp();
        healthyEpochs(reports);
        change(reports);
        std::string why;
        for (const CheckOutcome& one : reports.diagnosis().checks) {
            if (one.result == CheckResult::kPassed) return std::string("passed: ") + one.code;
            if (one.code == "unused-parameters") why = one.why;
        }
        return why;
    };
    CHECK(whyNot([](Reports&) {}).starts_with("passed: "));
    CHECK(whyNot([](Reports& one) { one.evidence.markLost(1); }) == "rank 1 ended without a last report");
    CHECK(whyNot([](Reports& one) { one.evidence.addUnreadable(1); }) == "1 reports of rank 1 could not be read");
    CHECK(whyNot([](Reports& one) {
              one.fact(1, "end", R"({"steps":4,"dropped_observations":2,"dropped_lines":15})");
          }) == "rank 1 could not send 17 of its reports");
    Heartbeat dropped;
    dropped.droppedSteps = 3;
    CHECK(whyNot([&](Reports& one) { one.event(0, dropped); }) == "rank 0 could not send 3 of its reports");
    CHECK(whyNot([](Reports& one) { one.fact(0, "process", R"({"world_size":4})"); }) ==
          "only 2 of 4 ranks have reported");
}

TEST_CASE("a check does not judge without the observations of a hook that has failed") {
    const auto with = [](const char* hook, const auto& change) {
        Reports reports = healthyDdp();
        healthyEpochs(reports);
        change(reports);
        if (*hook != '\0')
            reports.fact(1, "hook_failed", R"({"hook":")" + std::string(hook) + R"(","text":"KeyError"})");
        return reports.diagnosis();
    };
    const auto healthy = [](Reports&) {};
    const Diagnosis clipping = with("clipping", healthy);
    CHECK(resultOf(clipping, "clipped-before-unscaling") == "could_not_judge");
    CHECK(resultOf(clipping, "set-epoch-missing") == "passed");
    const auto why = std::ranges::find(clipping.checks, "clipped-before-unscaling", &CheckOutcome::code)->why;
    CHECK(why == "a hook that observes the script has failed on rank 1 (clipping)");
    CHECK(resultOf(with("tensorboard", healthy), "clipped-before-unscaling") == "skipped");
    CHECK(resultOf(with("tensorboard", healthy), "set-epoch-missing") == "passed");
    CHECK(resultOf(with("loader", healthy), "set-epoch-missing") == "could_not_judge");
    CHECK(resultOf(with("a hook of a later version", healthy), "set-epoch-missing") == "could_not_judge");

    // A finding that rests on missing observations is none. One that rests on observations is kept.
    const auto unreduced = [](Reports& one) {
        one.facts("step_counts", R"({"from_step":1,"backwards":1,"all_reduces":0,"losses":["train.py:40"]})");
        one.checksums(0, 8, {"w", "b"}, {1, 2}).checksums(1, 8, {"w", "b"}, {1, 3});
    };
    CHECK(resultOf(with("", unreduced), "forward-around-ddp") == "found");
    CHECK(resultOf(with("data parallel", unreduced), "forward-around-ddp") == "could_not_judge");
    CHECK(resultOf(with("data parallel", unreduced), "replicas-differ") == "found");
}

TEST_CASE("a finding that another one explains is left out, also through a third") {
    const auto finds = [](const Evidence&) { return found("It is so.", "", Json::object()); };
    const Check checks[] = {{"first", "1", Severity::kNote, "Do.", "", finds},
                            {"second", "2", Severity::kMistake, "Do.", "first", finds},
                            {"third", "3", Severity::kMistake, "Do.", "second", finds},
                            {"other", "4", Severity::kMistake, "Do.", "", finds}};
    const Diagnosis diagnosis = findingsOf(Evidence{}, checks);
    REQUIRE(diagnosis.findings.size() == 2);
    CHECK(diagnosis.findings[0].code == "other");  // mistakes come first
    CHECK(diagnosis.findings[1].code == "first");
    REQUIRE(diagnosis.checks.size() == 2);
    CHECK(diagnosis.checks[1].why == "explained by first");
    CHECK(diagnosis.hasMistake());
}

TEST_CASE("a hang that was seen is left out if unequal numbers of steps explain it") {
    const auto with = [](const char* code) {
        Diagnosis diagnosis;
        diagnosis.findings.push_back({code, Severity::kMistake, "Found.", "", "{}", "Do.", 0});
        diagnosis.checks.push_back({"hang", CheckResult::kPassed, ""});
        Finding hang;
        hang.code = "hang";
        hang.text = "No rank has made progress for 8 s.";
        addSeenFinding(diagnosis, hang);
        return diagnosis;
    };
    const Diagnosis explained = with("uneven-steps");
    CHECK(explained.findings.size() == 1);
    REQUIRE(explained.checks.size() == 1);
    CHECK(explained.checks[0].why == "explained by uneven-steps");
    const Diagnosis other = with("set-epoch-missing");
    CHECK(other.checks.empty());
    REQUIRE(other.findings.size() == 2);
    CHECK(other.findings[1].text == "No rank has made progress for 8 s.");
    CHECK(other.findings[1].severity == Severity::kMistake);
    CHECK(other.findings[1].remedy.find("Make all ranks of a group") == 0);
}

TEST_CASE("the document describes each check with its severity") {
    const std::string text = readFile(sourceFile("docs/watch-findings.md"), 1U << 20).value();
    for (const Check& check : allChecks()) {
        INFO(check.code);
        CHECK(text.find("### " + std::string(check.code) + " (" + std::string(severityName(check.severity)) + ")") !=
              std::string::npos);
    }
}
