// SPDX-License-Identifier: Apache-2.0
#include "watch/findings/resume_check.h"
#include "support/catch.h"
#include "watch/doctor/reports.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

EpochAudit epoch(std::int64_t number, int runs, std::int64_t twice, std::int64_t never) {
    EpochAudit one;
    one.epoch = number;
    one.loader = "train.py:45";
    one.size = 480;
    one.assigned = 480 - never + twice;
    one.twice = twice;
    one.never = never;
    one.isFinished = true;
    one.runs = runs;
    one.ranks = {{0, 240}, {1, 240}};
    return one;
}

SampleAudit auditOf(std::vector<EpochAudit> epochs) {
    SampleAudit audit;
    audit.training = std::move(epochs);
    return audit;
}

std::string resultOf(const SampleAudit& audit) {
    return std::string(namesOf(judgeResume(audit).result)[static_cast<std::size_t>(judgeResume(audit).result)]);
}

}  // namespace

TEST_CASE("an epoch that begins again after a resume is named") {
    const Judgement judgement = judgeResume(auditOf({epoch(0, 1, 0, 0), epoch(1, 2, 192, 0)}));
    CHECK(judgement.result == CheckResult::kFound);
    CHECK(judgement.text == "Epoch 2 was resumed in its middle. Of its 480 samples, 192 were trained twice.");
    CHECK(judgement.where == "train.py:45");
}

TEST_CASE("samples that a resumed epoch leaves out are named") {
    CHECK(judgeResume(auditOf({epoch(0, 1, 0, 0), epoch(1, 2, 0, 96)})).text ==
          "Epoch 2 was resumed in its middle. Of its 480 samples, 96 were never trained.");
    CHECK(judgeResume(auditOf({epoch(0, 1, 0, 0), epoch(1, 2, 96, 96)})).text ==
          "Epoch 2 was resumed in its middle. Of its 480 samples, 96 were trained twice and 96 never.");
    EpochAudit unfinished = epoch(1, 2, 0, 96);
    unfinished.isFinished = false;
    CHECK(resultOf(auditOf({epoch(0, 1, 0, 0), unfinished})) == "passed");
}

TEST_CASE("a resumed epoch may repeat what the sampler repeats in each epoch") {
    CHECK(resultOf(auditOf({epoch(0, 1, 25, 0), epoch(1, 2, 25, 0)})) == "passed");
    // Passes: without another epoch for comparison, up to a tenth of the samples may repeat.
    CHECK(resultOf(auditOf({epoch(0, 2, 25, 0)})) == "passed");
    CHECK(resultOf(auditOf({epoch(0, 2, 60, 0)})) == "found");
    CHECK(resultOf(auditOf({epoch(0, 1, 0, 0)})) == "skipped");
}

TEST_CASE("a resumed epoch is not judged without its counts or the step that the run continues from") {
    SampleAudit unknown = auditOf({epoch(0, 1, 0, 0), epoch(1, 2, 192, 0)});
    unknown.knowsStarts = false;
    CHECK(resultOf(unknown) == "could_not_judge");
    EpochAudit uncounted = epoch(1, 2, 0, 0);
    uncounted.twice.reset();
    uncounted.why = "no indices";
    CHECK(judgeResume(auditOf({uncounted})).why == "no indices");
}

TEST_CASE("the audit of a chain of runs replaces the result of its check") {
    Reports reports = healthyDdp();
    healthyEpochs(reports);
    Diagnosis diagnosis = reports.diagnosis();
    CHECK(testing::resultOf(diagnosis, "resume-not-exact") == "skipped");
    replaceJudgement(diagnosis, "resume-not-exact", passed(), reports.evidence);
    CHECK(testing::resultOf(diagnosis, "resume-not-exact") == "passed");
    const Judgement repeated = judgeResume(auditOf({epoch(0, 1, 0, 0), epoch(1, 2, 192, 0)}));
    replaceJudgement(diagnosis, "resume-not-exact", repeated, reports.evidence);
    CHECK(findingOf(diagnosis, "resume-not-exact").severity == Severity::kMistake);
    CHECK(testing::resultOf(diagnosis, "resume-not-exact") == "found");
    reports.evidence.markLost(1);
    Diagnosis lost = reports.diagnosis();
    replaceJudgement(lost, "resume-not-exact", passed(), reports.evidence);
    CHECK(testing::resultOf(lost, "resume-not-exact") == "could_not_judge");
}
