// SPDX-License-Identifier: Apache-2.0
#include <limits>

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

TEST_CASE("if the list of step counts is full, its last count applies to one step only") {
    const Reports cleared = fullCounts(R"("backwards":1,"unused":0,"trained_batches":1)",
                                       R"("backwards":2,"unused":1,"trained_batches":2)");
    // Step 1 does not count, because its fact has no "unused": 1,022 steps with one backward pass and one with two.
    CHECK(findingOf(cleared.diagnosis(), "cleared-before-step").text ==
          "The gradients of 1 of 1,024 backward passes of rank 0 were cleared before an optimizer step could use them: "
          "the model does not learn from their samples.");

    Reports once = fullCounts(R"("backwards":1,"scheduler_steps":1)", R"("backwards":1,"scheduler_steps":2)");
    Reports twice = fullCounts(R"("backwards":1,"scheduler_steps":2)", R"("backwards":1,"scheduler_steps":1)");
    for (Reports* one : {&once, &twice}) one->facts("scheduler", R"({"class":"StepLR","where":"train.py:60"})");
    CHECK(resultOf(once.diagnosis(), "scheduler-too-often") == "passed");
    CHECK(resultOf(twice.diagnosis(), "scheduler-too-often") == "found");
}

TEST_CASE("if the list of step counts is not full, its last count applies to all later steps") {
    const Reports reports = healthyDdp();  // one fact, four steps
    const std::vector<EqualSteps> steps = reports.evidence.find(0)->equalSteps();
    REQUIRE(steps.size() == 1);
    CHECK(steps.front().steps == 4);
}

TEST_CASE("all-reduces of cleared gradients do not count as those of micro-batches") {
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

TEST_CASE("the learning rate of a finding is finite and limited to the steps that were seen") {
    // Returns the sentence about rates that all steps of a group of steps have in turn.
    const auto with = [](const std::vector<double>& rates, std::optional<RankStage> state, std::size_t stepsOfEach) {
        Reports reports(2);
        reports.facts("process", R"({"world_size":2,"distributed":true,"script":"train.py"})");
        reports.facts("process_group_created", R"({"backend":"gloo","rank":$R,"world_size":2})");
        reports.facts("data_parallel", R"({"kind":"ddp","where":"train.py:20","ranks":[0,1]})");
        reports.facts("optimizer", R"({"id":0,"class":"torch.optim.sgd.SGD","groups":[{"lr":0.1}]})");
        reports.facts("loader", loaderFacts(0, kDistributedSampler, kData));
        for (int rank = 0; rank < 2; ++rank) reports.trained(rank, 0, 0, 1, 0, {0, 1, 2, 3});
        for (const double rate : rates) reports.steps(0, std::vector<double>(stepsOfEach, 1.0), rate);
        if (state) reports.state(0, *state);
        const std::string text = findingOf(reports.diagnosis(), "effective-batch").text;
        const std::string before = "One optimizer step sees 8 samples: 4 per batch x 2 ranks.";
        REQUIRE(text.starts_with(before));
        return text.substr(before.size());
    };
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
    CHECK(with({0.1, 0.3, 0.2}, std::nullopt, 1) == " The largest learning rate is 0.3.");
    CHECK(with({0.1, 0.3, 0.2}, RankStage::kFinished, 1) == " The largest learning rate is 0.3.");
    CHECK(with({0.1, 0.3, 0.2}, RankStage::kTraining, 1) == " The largest learning rate until now is 0.3.");
    CHECK(with({0.3, 0.3}, RankStage::kTraining, 1) == " The learning rate is 0.3.");
    CHECK(with({kNaN, 0.1, kInfinity, 0.3}, std::nullopt, 1) == " The largest learning rate is 0.3.");
    CHECK(with({0.3, kNaN}, std::nullopt, 1) == " The learning rate is 0.3.");
    CHECK(with({kNaN}, std::nullopt, 1).empty());
    // The first 65,536 steps are kept, so that the rates of the last 34,464 steps are not known.
    CHECK(with({0.1, 0.3, 0.5}, RankStage::kFinished, 33000) ==
          " The largest learning rate of the first 65,536 steps is 0.3.");
}
