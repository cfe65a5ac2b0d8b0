// SPDX-License-Identifier: Apache-2.0
#include "support/catch.h"
#include "watch/doctor/reports.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

// Returns the reports of two ranks that make 5,000 steps, and report as many facts "step_counts" as are kept: `usual`
// for steps 2 to 1,023 and `last` for step 1,024.
Reports fullCounts(const std::string& usual, const std::string& last) {
    Reports reports = healthyDdp();  // reports the facts of step 1
    for (int step = 2; step <= 1024; ++step)
        reports.facts("step_counts", R"({"from_step":)" + std::to_string(step) +
                                         R"(,"optimizers":[0],"batches":[0],"losses":["train.py:40"],"skipped":0,)" +
                                         (step < 1024 ? usual : last) + "}");
    for (int rank = 0; rank < 2; ++rank) reports.steps(rank, std::vector<double>(5000, 1.0));
    return reports;
}

}  // namespace

TEST_CASE("The last of as many step counts as are kept applies to one step only") {
    const Reports cleared = fullCounts(R"("backwards":1,"unused":0,"trained_batches":1)",
                                       R"("backwards":2,"unused":1,"trained_batches":2)");
    // Step 1 does not count, because its fact has no "unused": 1,022 steps with one backward pass and one with two.
    CHECK(findingOf(cleared.diagnosis(), "cleared-before-step").text ==
          "The gradients of 1 of 1,024 backward passes of rank 0 were cleared before an optimizer step, as a script "
          "does that skips a step: the model does not learn from their samples.");

    Reports once = fullCounts(R"("backwards":1,"scheduler_steps":1)", R"("backwards":1,"scheduler_steps":2)");
    Reports twice = fullCounts(R"("backwards":1,"scheduler_steps":2)", R"("backwards":1,"scheduler_steps":1)");
    for (Reports* one : {&once, &twice}) one->facts("scheduler", R"({"class":"StepLR","where":"train.py:60"})");
    CHECK(resultOf(once.diagnosis(), "scheduler-too-often") == "passed");
    CHECK(resultOf(twice.diagnosis(), "scheduler-too-often") == "found");
}

TEST_CASE("The last of fewer step counts applies to all later steps") {
    const Reports reports = healthyDdp();  // one fact, four steps
    const std::vector<EqualSteps> steps = reports.evidence.find(0)->equalSteps();
    REQUIRE(steps.size() == 1);
    CHECK(steps.front().steps == 4);
}

TEST_CASE("All-reduces of cleared gradients do not count as those of micro-batches") {
    const auto with = [](const std::vector<std::string>& counts) {
        Reports reports(2);
        reports.facts("process", R"({"world_size":2,"distributed":true})");
        reports.facts("data_parallel", R"({"kind":"ddp","ranks":[0,1]})");
        std::size_t step = 0;
        for (const std::string& one : counts)
            reports.facts("step_counts", R"({"from_step":)" + std::to_string(++step) +
                                             R"(,"optimizers":[0],"losses":["train.py:40"],"skipped":0,)" + one + "}");
        return resultOf(reports.diagnosis(), "sync-every-micro-batch");
    };
    // The script reduces the gradients of every second of two micro-batches, and clears those of two micro-batches
    // once.
    const std::string usual = R"("backwards":2,"unused":0,"all_reduces":1)";
    const std::string cleared = R"("backwards":4,"unused":2,"all_reduces":2)";
    CHECK(with({usual, cleared}) == "passed");
    CHECK(with({cleared, usual}) == "passed");
    CHECK(with({cleared}) == "could_not_judge");
    CHECK(with({R"("backwards":2,"unused":0,"all_reduces":2)", cleared}) == "found");
}
