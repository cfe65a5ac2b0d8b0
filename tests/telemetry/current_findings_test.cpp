// SPDX-License-Identifier: Apache-2.0
#include "telemetry/data/current_findings.h"
#include "support/catch.h"

using namespace ringside;

namespace {

Finding finding(const char* code, Severity severity, const char* text) {
    return {.code = code, .severity = severity, .text = text};
}

std::string codes(const CurrentFindings& findings) {
    std::string all;
    for (const Finding& one : findings.all()) all += one.code + "=" + one.text + " ";
    return all;
}

}  // namespace

TEST_CASE("the latest finding of a code is valid, and the worst is first") {
    CurrentFindings findings;
    CHECK(findings.apply(finding("batch", Severity::kNote, "32")));
    CHECK(findings.apply(finding("order", Severity::kMistake, "two epochs")));
    CHECK(findings.apply(finding("slow", Severity::kCost, "10 ms")));
    CHECK(findings.apply(finding("order", Severity::kMistake, "three epochs")));
    CHECK(codes(findings) == "order=three epochs slow=10 ms batch=32 ");
    CHECK_FALSE(findings.apply(LogLine{}));
}

TEST_CASE("a withdrawn finding is removed, and can be reported again") {
    CurrentFindings findings;
    findings.apply(finding("loss", Severity::kMistake, "not a number"));
    Finding gone = finding("loss", Severity::kMistake, "not a number");
    gone.withdrawn = true;
    CHECK(findings.apply(gone));
    CHECK(findings.all().empty());
    CHECK_FALSE(findings.apply(gone));
    CHECK(findings.apply(finding("loss", Severity::kMistake, "again")));
    CHECK(codes(findings) == "loss=again ");
}

TEST_CASE("the number of findings is bounded") {
    CurrentFindings findings;
    for (int i = 0; i < 1100; ++i) findings.apply(finding(std::to_string(i).c_str(), Severity::kNote, ""));
    CHECK(findings.all().size() == 1000);
}
