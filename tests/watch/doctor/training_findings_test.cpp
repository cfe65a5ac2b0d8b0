// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "support/catch.h"
#include "watch/doctor/reports.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Returns the reports of two ranks with a process group and their own averaging loop, without a wrapper.
Reports ownLoop() {
    Reports reports(2);
    reports.facts("process", R"({"world_size":2,"distributed":true,"script":"train.py"})");
    reports.facts("process_group_created", R"({"rank":$R,"world_size":2})");
    reports.facts("optimizer", R"({"id":0,"class":"torch.optim.sgd.SGD","where":"train.py:50","with_gradient":2,)"
                               R"("sharded":0,"groups":[{"lr":0.1,"tensors":2,"parameters":10}]})");
    reports.facts("step_counts", R"({"from_step":1,"backwards":1,"scheduler_steps":0,"all_reduces":0,"optimizers":[0],)"
                                 R"("batches":[0],"losses":["train.py:40"],"skipped":0})");
    for (int rank = 0; rank < 2; ++rank) reports.steps(rank, {2.0 - rank, 1.5 - rank, 1.25 - rank, 1.0 - rank});
    return reports;
}

// Adds checksums of tensors "w" and "b" after steps 0, 1, 2 and 4: equal before `apart`, different from it on.
void partFrom(Reports& reports, std::int64_t apart, const std::string& name = "w") {
    for (const std::int64_t step : {0, 1, 2, 4})
        for (int rank = 0; rank < 2; ++rank)
            reports.checksums(rank, step, {name, "b"}, {step >= apart ? 100 + rank : step, 1000 + step});
}

// Adds a trace of steps 1 to 4 with an all-reduce of `bytes` in the group of all ranks.
void reduce(Reports& reports, std::int64_t bytes, std::int64_t every = 1) {
    for (std::int64_t step = 1; step <= 4; ++step) {
        for (int rank = 0; rank < 2; ++rank) {
            StepTrace trace;
            trace.rank = rank;
            trace.step = step;
            trace.lengthNs = 1000;
            if (step % every == 0) {
                trace.group = {0};
                trace.collective = {step};
                trace.kind = {0};
                trace.bytes = {bytes};
                trace.ready = trace.arrived = {10};
                trace.last = {-1};
                trace.ended = {20};
            }
            reports.event(rank, trace);
        }
    }
}

std::string counts(const std::string& what) {
    return R"({"from_step":1,"optimizers":[0],"batches":[0],"losses":["train.py:40"],"skipped":0,)" + what + "}";
}

}  // namespace

TEST_CASE("ranks that train alone after a launch of several are named") {
    Reports reports(2);
    reports.facts("process", R"({"world_size":2,"distributed":false})");
    reports.facts("optimizer", R"({"id":0,"where":"train.py:50"})");
    for (int rank = 0; rank < 2; ++rank) reports.steps(rank, {1.0 + rank, 1});
    partFrom(reports, 1);
    CHECK(accusations(reports.diagnosis()) == std::vector<std::string>{"no-process-group"});
    CHECK(findingOf(reports.diagnosis(), "no-process-group").text ==
          "2 processes were started, but ranks 0 and 1 train without a common process group: each process trains a "
          "separate model.");
    Reports horovod(2);
    horovod.facts("process", R"({"world_size":2,"distributed":false,"horovod":"0.28"})");
    for (int rank = 0; rank < 2; ++rank) horovod.steps(rank, {1, 1});
    CHECK(accusations(horovod.diagnosis()).empty());
    CHECK(resultOf(horovod.diagnosis(), "no-process-group") == "could_not_judge");
}

TEST_CASE("a model whose replicas diverge without DDP is reported as not wrapped") {
    Reports reports = ownLoop();
    partFrom(reports, 1);
    reduce(reports, 8);  // the reduction of a metric: 8 bytes are less than the 10 parameters
    CHECK(accusations(reports.diagnosis()) == std::vector<std::string>{"model-not-wrapped"});
    CHECK(findingOf(reports.diagnosis(), "model-not-wrapped").text ==
          "The model is not wrapped, and no collective makes the ranks' parameters equal: after step 1, w differs "
          "between "
          "ranks 0 and 1.");
    CHECK(findingOf(reports.diagnosis(), "model-not-wrapped").where == "train.py:50");
}

TEST_CASE("a custom loop that averages gradients, or parameters in some steps, is not a mistake") {
    Reports equal = ownLoop();
    partFrom(equal, 100);
    reduce(equal, 40);
    CHECK(accusations(equal.diagnosis()).empty());
    Reports local = ownLoop();
    partFrom(local, 1);
    reduce(local, 40, 2);
    CHECK(accusations(local.diagnosis()).empty());
    CHECK(resultOf(local.diagnosis(), "replicas-differ") == "could_not_judge");
}

TEST_CASE("a custom loop that averages gradients of different parameters is reported with a different start") {
    Reports reports = ownLoop();
    partFrom(reports, 0);
    reduce(reports, 40);
    CHECK(accusations(reports.diagnosis()) == std::vector<std::string>{"different-start"});
    CHECK(findingOf(reports.diagnosis(), "different-start").text ==
          "The ranks average gradients, but start from different parameters and stay different: w after step 1.");
}

TEST_CASE("replicas of an own loop that differ later refer to the line of the optimizer or of the module") {
    Reports reports = ownLoop();
    partFrom(reports, 2);
    reduce(reports, 40);
    CHECK(accusations(reports.diagnosis()) == std::vector<std::string>{"replicas-differ"});
    CHECK(findingOf(reports.diagnosis(), "replicas-differ").where == "train.py:50");
    reports.facts("optimizer", R"({"id":0,"where":"train.py:50","groups":[{"parameters":10}],)"
                               R"("unwrapped":[{"where":"train.py:12","parameter":"w"}]})");
    CHECK(findingOf(reports.diagnosis(), "replicas-differ").where == "train.py:12");
}

TEST_CASE("ranks that hold parts of one model may have equal losses and different parameters") {
    Reports reports(2);
    reports.facts("process", R"({"world_size":2,"distributed":true})");
    for (int rank = 0; rank < 2; ++rank) reports.steps(rank, {2, 1});
    partFrom(reports, 0);
    reduce(reports, 40);
    CHECK(accusations(reports.diagnosis()).empty());
    CHECK(resultOf(reports.diagnosis(), "replicas-differ") == "could_not_judge");
}

TEST_CASE("different learning rates explain different replicas") {
    Reports reports = healthyDdp();
    Reports other = ownLoop();
    other.facts("data_parallel", R"({"kind":"ddp","ranks":[0,1]})");
    other.facts("scheduler", R"({"class":"ReduceLROnPlateau","where":"train.py:60"})");
    Reports differs(2);
    differs.facts("process", R"({"world_size":2,"distributed":true})")
        .facts("data_parallel", R"({"kind":"ddp","ranks":[0,1]})");
    differs.facts("scheduler", R"({"class":"ReduceLROnPlateau","where":"train.py:60"})");
    differs.steps(0, {2, 1}, 0.1).steps(1, {3, 2}, 0.01);
    partFrom(differs, 2);
    CHECK(accusations(differs.diagnosis()) == std::vector<std::string>{"learning-rates-differ"});
    CHECK(findingOf(differs.diagnosis(), "learning-rates-differ").text ==
          "The learning rates differ from step 1 on: 0.1 on rank 0, 0.01 on rank 1.");
    CHECK(resultOf(reports.diagnosis(), "learning-rates-differ") == "passed");
}

TEST_CASE("replicas of DDP that differ are named by tensor, step and cause") {
    Reports outside = ownLoop();
    outside.facts("data_parallel", R"({"kind":"ddp","ranks":[0,1],"where":"train.py:20"})");
    partFrom(outside, 1, "optimizer 0 group 0 parameter 2");
    CHECK(accusations(outside.diagnosis()) == std::vector<std::string>{"parameters-outside-ddp"});
    CHECK(findingOf(outside.diagnosis(), "parameters-outside-ddp").where == "train.py:50");
    outside.facts("optimizer", R"({"id":0,"where":"train.py:50","unwrapped":[)"
                               R"({"where":"train.py:12","parameter":"optimizer 0 group 0 parameter 0"},)"
                               R"({"where":"train.py:15","parameter":"optimizer 0 group 0 parameter 2"}]})");
    CHECK(findingOf(outside.diagnosis(), "parameters-outside-ddp").where == "train.py:15");

    Reports around = ownLoop();  // the steps of DDP have no all-reduce
    around.facts("data_parallel", R"({"kind":"ddp","ranks":[0,1],"where":"train.py:20"})");
    partFrom(around, 2);
    CHECK(accusations(around.diagnosis()) == std::vector<std::string>{"forward-around-ddp"});
    CHECK(findingOf(around.diagnosis(), "forward-around-ddp").where == "train.py:40");  // the line of backward()

    Reports hooks = healthyDdp();
    hooks.checksums(0, 8, {"w", "b"}, {1, 2}).checksums(1, 8, {"w", "b"}, {1, 3});
    CHECK(accusations(hooks.diagnosis()) == std::vector<std::string>{"replicas-differ"});
    CHECK(findingOf(hooks.diagnosis(), "replicas-differ").text ==
          "Replicas differ since step 8: b of rank 1 no longer equals that of rank 0.");
    CHECK(findingOf(hooks.diagnosis(), "replicas-differ").where == "train.py:20");

    Reports unfrozen = hooks;
    unfrozen.facts("unfrozen", R"({"after_step":8,"tensors":2,"names":["w","b"]})");
    CHECK(findingOf(unfrozen.diagnosis(), "replicas-differ").text ==
          "Replicas differ since step 8: b of rank 1 no longer equals that of rank 0. It was frozen when "
          "DistributedDataParallel wrapped the model, which does not reduce its gradient.");
    Reports otherFrozen = hooks;
    otherFrozen.facts("unfrozen", R"({"after_step":8,"tensors":1,"names":["w"]})");
    CHECK(findingOf(otherFrozen.diagnosis(), "replicas-differ").text ==
          findingOf(hooks.diagnosis(), "replicas-differ").text);

    // The parameters were still frozen after step 8, and the model was converted after it.
    Reports later = hooks;
    later.facts("unfrozen", R"({"after_step":16,"frozen_after_step":8,"tensors":2,"names":["w","b"]})");
    later.facts("converted", R"({"model":0,"after_step":8,"where":"train.py:22","from":"a","to":"b"})");
    CHECK(findingOf(later.diagnosis(), "replicas-differ").text == findingOf(hooks.diagnosis(), "replicas-differ").text);

    hooks.facts("converted", R"({"model":0,"after_step":7,"where":"train.py:22","from":"float32 on cpu",)"
                             R"("to":"float64 on cpu"})");
    CHECK(
        findingOf(hooks.diagnosis(), "replicas-differ").text ==
        "Replicas differ since step 8: b of rank 1 no longer equals that of rank 0. The model was converted from "
        "float32 on cpu to float64 on cpu after it was wrapped, so that DistributedDataParallel no longer reduces its "
        "gradients.");
    CHECK(findingOf(hooks.diagnosis(), "replicas-differ").where == "train.py:22");
}

TEST_CASE("replicas that become equal again, local SGD and shards are not reported") {
    Reports meets = healthyDdp();
    meets.checksums(0, 8, {"w", "b"}, {1, 2}).checksums(1, 8, {"w", "b"}, {1, 3});
    meets.checksums(0, 16, {"w", "b"}, {1, 2}).checksums(1, 16, {"w", "b"}, {1, 2});
    CHECK(accusations(meets.diagnosis()).empty());
    Reports local = healthyDdp();
    local.checksums(0, 8, {"w", "b"}, {1, 2}).checksums(1, 8, {"w", "b"}, {1, 3});
    local.facts("buckets", R"({"iteration":3,"comm_hook":"post_localSGD_hook"})");
    CHECK(accusations(local.diagnosis()).empty());
    Reports joined = healthyDdp();  // rank 1 has fewer batches, so that step 8 is another one on each rank
    joined.checksums(0, 8, {"w", "b", "1.running_mean"}, {1, 2, 3})
        .checksums(1, 8, {"w", "b", "1.running_mean"}, {1, 3, 4});
    joined.steps(0, {1, 1}, 0.1).steps(1, {1, 1}, 0.2);
    joined.facts("buckets", R"({"iteration":0,"join":true})");
    CHECK(accusations(joined.diagnosis()).empty());
    for (const char* const code :
         {"learning-rates-differ", "forward-around-ddp", "replicas-differ", "batch-norm-differs"})
        CHECK(resultOf(joined.diagnosis(), code) == "skipped");
    Reports ignores = healthyDdp();
    ignores.checksums(0, 8, {"w", "b"}, {1, 2}).checksums(1, 8, {"w", "b"}, {1, 3});
    ignores.facts("data_parallel", R"({"kind":"ddp","ranks":[0,1],"ignored":1})");
    CHECK(accusations(ignores.diagnosis()).empty());
    Reports sharded = ownLoop();
    sharded.facts("data_parallel", R"({"kind":"fully_shard"})");
    partFrom(sharded, 1);
    CHECK(accusations(sharded.diagnosis()).empty());
    CHECK(resultOf(sharded.diagnosis(), "replicas-differ") == "skipped");
}

TEST_CASE("optimizer state and running statistics do not count as parameters") {
    Reports state = healthyDdp();
    state.checksums(0, 8, {"w", "state exp_avg of w"}, {1, 2}).checksums(1, 8, {"w", "state exp_avg of w"}, {1, 3});
    CHECK(accusations(state.diagnosis()).empty());
    Reports norm = healthyDdp();
    norm.checksums(0, 8, {"w", "1.running_mean"}, {1, 2}).checksums(1, 8, {"w", "1.running_mean"}, {1, 3});
    CHECK(accusations(norm.diagnosis()) == std::vector<std::string>{"batch-norm-differs"});
    CHECK(resultOf(healthyDdp().diagnosis(), "batch-norm-differs") == "skipped");
}

TEST_CASE("an optimizer none of whose tensors has a gradient is named") {
    Reports reports = ownLoop();
    reports.fact(0, "optimizer",
                 R"({"id":1,"class":"torch.optim.sgd.SGD","where":"train.py:9","with_gradient":0,)"
                 R"("groups":[{"tensors":4,"parameters":10}]})");
    partFrom(reports, 100);
    CHECK(accusations(reports.diagnosis()) == std::vector<std::string>{"optimizer-without-gradients"});
    CHECK(resultOf(healthyDdp().diagnosis(), "optimizer-without-gradients") == "passed");
}

TEST_CASE("gradients that still exist at each next backward pass are reported as never cleared") {
    Reports never = healthyDdp();
    never.fact(0, "gradients", R"({"after_step":1,"cleared":false})");
    // A single step without clearing can be intended.
    CHECK(resultOf(never.diagnosis(), "gradients-never-cleared") == "passed");
    never.fact(0, "gradients", R"({"after_step":2,"cleared":false})");
    CHECK(accusations(never.diagnosis()) == std::vector<std::string>{"gradients-never-cleared"});
    Reports clears = healthyDdp();
    clears.facts("gradients", R"({"after_step":1,"cleared":true})")
        .facts("gradients", R"({"after_step":2,"cleared":true})");
    CHECK(resultOf(clears.diagnosis(), "gradients-never-cleared") == "passed");
}

TEST_CASE("an accumulated loss without a division is a mistake, with Adam a note") {
    Reports sgd(1);
    sgd.facts("step_counts", counts(R"("backwards":4)"))
        .facts("optimizer", R"({"id":0,"class":"torch.optim.sgd.SGD"})");
    sgd.facts("loss", R"({"where":"train.py:40","function":"NllLossBackward0"})");
    CHECK(findingOf(sgd.diagnosis(), "accumulation-undivided").text ==
          "The script calls backward() on an undivided loss (NllLossBackward0), and 4 micro-batches are accumulated "
          "per step: the gradient is 4 times as large as that of the mean.");
    CHECK(findingOf(sgd.diagnosis(), "accumulation-undivided").severity == Severity::kMistake);
    Reports adam(1);
    adam.facts("step_counts", counts(R"("backwards":4)"))
        .facts("optimizer", R"({"id":0,"class":"torch.optim.adam.Adam"})");
    adam.facts("loss", R"({"where":"train.py:40","function":"MeanBackward0"})");
    CHECK(findingOf(adam.diagnosis(), "accumulation-undivided").severity == Severity::kNote);
    const auto sumOf = [](const char* terms) {
        Reports sum(1);
        sum.facts("step_counts", counts(R"("backwards":4)"));
        sum.facts("loss", R"({"where":"train.py:40","function":"AddBackward0","terms":[)" + std::string(terms) + "]}");
        return resultOf(sum.diagnosis(), "accumulation-undivided");
    };
    CHECK(sumOf(R"("MeanBackward0","MulBackward0")") == "found");  // mse.mean() + 0.001 * penalty
    CHECK(sumOf(R"("DivBackward0","DivBackward0")") == "could_not_judge");
    Reports divided(1);
    divided.facts("step_counts", counts(R"("backwards":4)"))
        .facts("loss", R"({"where":"train.py:40","function":"DivBackward0"})");
    CHECK(resultOf(divided.diagnosis(), "accumulation-undivided") == "passed");
    CHECK(resultOf(healthyDdp().diagnosis(), "accumulation-undivided") == "skipped");
}

TEST_CASE("steps that a script skips are not reported as accumulation") {
    const auto with = [](const std::vector<std::string>& facts) {
        Reports reports = healthyDdp();
        for (const std::string& one : facts)
            reports.facts("step_counts",
                          R"({"optimizers":[0],"batches":[0],"losses":["train.py:40"],"skipped":0,)" + one + "}");
        for (int rank = 0; rank < 2; ++rank) reports.steps(rank, std::vector<double>(40, 1.0));
        return reports.diagnosis();
    };
    const std::string usual = R"("backwards":1,"unused":0,"trained_batches":1,"all_reduces":1,"from_step":)";
    const std::string pair = R"("backwards":2,"unused":0,"trained_batches":2,"all_reduces":2,"from_step":)";
    const std::string skipped = R"("backwards":2,"unused":1,"trained_batches":2,"all_reduces":2,"from_step":)";
    // It is not known that the gradients were cleared, but most steps have one backward pass.
    const Diagnosis rare = with({usual + "2", pair + "9", usual + "10", pair + "22", usual + "23"});
    CHECK(accusations(rare).empty());
    CHECK(resultOf(rare, "accumulation-undivided") == "skipped");
    CHECK(resultOf(rare, "cleared-before-step") == "passed");
    // The gradients were cleared.
    const Diagnosis often = with({skipped + "2", usual + "9", skipped + "10", usual + "16"});
    CHECK(accusations(often).empty());
    CHECK(resultOf(often, "accumulation-undivided") == "skipped");
    const Finding note = findingOf(often, "cleared-before-step");
    CHECK(note.severity == Severity::kNote);
    CHECK(note.text ==
          "The gradients of 13 of 52 backward passes of rank 0 were cleared before an optimizer step could use them: "
          "the model does not learn from their samples.");
    CHECK(note.where == "train.py:40");
    // Accumulation, with an epoch whose last step has fewer micro-batches.
    const Diagnosis accumulates = with({pair + "2", usual + "20", pair + "21"});
    CHECK(accusations(accumulates) == std::vector<std::string>{"accumulation-undivided", "sync-every-micro-batch"});
}

TEST_CASE("the samples of a step are those of all its loaders, and of a changing rate the largest is shown") {
    Reports reports(2);
    reports.facts("process", R"({"world_size":2,"distributed":true})");
    reports.facts("data_parallel", R"({"kind":"ddp","ranks":[0,1]})");
    for (const int loader : {0, 1}) reports.facts("loader", loaderFacts(loader, kDistributedSampler, kData));
    reports.facts("step_counts", R"({"from_step":1,"backwards":1,"optimizers":[0],"batches":[0,1],"losses":["t:1"]})");
    for (int rank = 0; rank < 2; ++rank) {
        for (const std::int64_t loader : {0, 1}) reports.trained(rank, loader, 0, 1, 0, {0, 1, 2, 3});
        for (const double rate : {0.01, 0.3, 0.1}) {
            StepsFrame frame;
            frame.rank = rank;
            frame.learningRate = rate;
            frame.step = {1};
            frame.loss = {1};
            frame.samples = {7};
            frame.endUs = {1};
            frame.dataUs = {0};
            reports.event(rank, frame);
        }
    }
    CHECK(findingOf(reports.diagnosis(), "effective-batch").text ==
          "One optimizer step sees 14 samples: 7 of 2 loaders x 2 ranks. The largest learning rate is 0.3.");
}

TEST_CASE("gradients that are cleared in each micro-batch are a mistake") {
    const auto with = [](int batches, int steps) {
        Reports reports = healthyDdp();
        reports.facts("step_counts", R"({"from_step":2,"backwards":4,"unused":3,"trained_batches":)" +
                                         std::to_string(batches) +
                                         R"(,"all_reduces":4,"optimizers":[0],"losses":["train.py:40"],"skipped":0})");
        for (int rank = 0; rank < 2; ++rank)
            reports.steps(rank, std::vector<double>(static_cast<std::size_t>(steps), 1.0));
        return reports.diagnosis();
    };
    CHECK(accusations(with(4, 9)) == std::vector<std::string>{"cleared-before-step"});
    CHECK(findingOf(with(4, 9), "cleared-before-step").text ==
          "In each step of rank 0, the gradients of 3 of 4 micro-batches are cleared before the optimizer step: the "
          "model learns from the last one only.");
    CHECK(findingOf(with(4, 8), "cleared-before-step").severity == Severity::kNote);  // too few steps for a rule
    CHECK(resultOf(with(1, 9), "cleared-before-step") == "passed");  // several backward passes of one batch
}

TEST_CASE("gradients that still exist and could not be read are not judged") {
    const auto with = [](const std::string& unused) {
        Reports reports = healthyDdp();
        reports.facts("step_counts", R"({"from_step":1,"backwards":1,"unused":0,"trained_batches":1,"all_reduces":1,)"
                                     R"("optimizers":[0],"losses":["train.py:40"],"skipped":0})");
        reports.facts("step_counts", R"({"from_step":2,"backwards":4,"trained_batches":4,"all_reduces":1,)"
                                     R"("optimizers":[0],"losses":["train.py:40"],"skipped":0,"unused":)" +
                                         unused + "}");
        for (int rank = 0; rank < 2; ++rank) reports.steps(rank, std::vector<double>(9, 1.0));
        return reports.diagnosis();
    };
    CHECK(resultOf(with("0"), "cleared-before-step") == "passed");
    CHECK(resultOf(with("null"), "cleared-before-step") == "could_not_judge");
}

TEST_CASE("the samples per step are those of most steps, without steps that were left out") {
    const auto with = [](const std::string& first, const std::vector<std::int64_t>& samples) {
        Reports reports(2);
        reports.facts("process", R"({"world_size":2,"distributed":true})");
        reports.facts("data_parallel", R"({"kind":"ddp","ranks":[0,1]})");
        reports.facts("loader", loaderFacts(0, kDistributedSampler, kData));
        reports.facts("step_counts",
                      R"({"from_step":1,"backwards":3,"optimizers":[0],"losses":["t:1"],)" + first + "}");
        reports.facts("step_counts", R"({"from_step":2,"backwards":1,"optimizers":[0],"losses":["t:1"],"skipped":0})");
        StepsFrame frame;
        frame.learningRate = 0.1;
        for (const std::int64_t one : samples) {
            frame.step.push_back(static_cast<std::int64_t>(frame.step.size()) + 1);
            frame.loss.push_back(1);
            frame.samples.push_back(one);
            frame.endUs.push_back(10000);
            frame.dataUs.push_back(0);
        }
        for (frame.rank = 0; frame.rank < 2; ++frame.rank) {
            reports.event(frame.rank, frame);
            reports.trained(frame.rank, 0, 0, 1, 0, {0, 1, 2, 3});
        }
        return findingOf(reports.diagnosis(), "effective-batch").text;
    };
    const std::string expected = "One optimizer step sees 8 samples: 4 per batch x 2 ranks. The learning rate is 0.1.";
    CHECK(with(R"("skipped":2)", {12, 4}) == expected);
    CHECK(with(R"("skipped":0,"unused":2)", {12}) == expected);
    CHECK(with(R"("skipped":0)", {12, 4, 4, 2}) == expected);
}

TEST_CASE("an all-reduce in each micro-batch is reported as a cost, a closure or two losses are not") {
    Reports every = healthyDdp();
    every.facts("step_counts", R"({"from_step":2,"backwards":4,"all_reduces":4,"optimizers":[0],"batches":[0],)"
                               R"("losses":["train.py:40"],"skipped":0})");
    every.facts("loss", R"({"where":"train.py:40","function":"DivBackward0"})");
    CHECK(findingOf(every.diagnosis(), "sync-every-micro-batch").text ==
          "DDP reduces the gradients 4 times per optimizer step, once for each of 4 micro-batches; once is enough.");
    const auto with = [](const std::string& what, const std::string& optimizer) {
        Reports reports(2);
        reports.facts("process", R"({"world_size":2,"distributed":true})");
        reports.facts("data_parallel", R"({"kind":"ddp","ranks":[0,1]})");
        reports.facts("optimizer", R"({"id":0,"class":")" + optimizer + R"("})").facts("step_counts", what);
        return resultOf(reports.diagnosis(), "sync-every-micro-batch");
    };
    CHECK(with(counts(R"("backwards":4,"all_reduces":1)"), "SGD") == "passed");
    CHECK(with(counts(R"("backwards":4,"all_reduces":4)"), "torch.optim.lbfgs.LBFGS") == "skipped");
    CHECK(with(R"({"from_step":1,"backwards":2,"all_reduces":2,"optimizers":[0],"losses":["a:1","a:2"]})", "SGD") ==
          "skipped");
}

TEST_CASE("find_unused_parameters is needless if no parameter was unused, and needed if DDP stops without it") {
    const std::string facts = R"({"kind":"ddp","ranks":[0,1],"where":"train.py:21","find_unused_parameters":true})";
    Reports needless = healthyDdp();
    needless.facts("data_parallel", facts).facts("buckets", R"({"iteration":3,"unused_parameter_bytes":0})");
    CHECK(accusations(needless.diagnosis()) == std::vector<std::string>{"find-unused-needless"});
    Reports used = healthyDdp();
    used.facts("data_parallel", facts).facts("buckets", R"({"iteration":3,"unused_parameter_bytes":0})");
    used.fact(1, "buckets", R"({"iteration":90,"unused_parameter_bytes":400})");
    CHECK(accusations(used.diagnosis()).empty());
    Reports needed = healthyDdp();
    needed.fact(0, "exception",
                R"({"type":"RuntimeError","where":"train.py:40",)"
                R"("text":"Expected to have finished reduction in the prior iteration before starting"})");
    CHECK(accusations(needed.diagnosis()) == std::vector<std::string>{"unused-parameters"});
    Reports other = healthyDdp();
    other.fact(0, "exception", R"({"type":"ValueError","text":"no"})");
    CHECK(accusations(other.diagnosis()).empty());
}

TEST_CASE("gathered features without a gradient are noted") {
    Reports reports = healthyDdp();
    CHECK(resultOf(reports.diagnosis(), "gathered-without-gradient") == "skipped");
    reports.facts("gathered", R"({"where":"loss.py:17","operation":"all_gather","ranks":2,"with_gradient":1})");
    const Finding finding = findingOf(reports.diagnosis(), "gathered-without-gradient");
    CHECK(finding.text ==
          "The loss contains the features that all_gather() has gathered from 2 ranks, but only the features of the "
          "own rank have a gradient: rank 0 leaves out its part of the other ranks' gradients.");
    CHECK(finding.where == "loss.py:17");
    CHECK(finding.severity == Severity::kNote);
}

TEST_CASE("backward passes without an optimizer step at the end are noted") {
    Reports reports = healthyDdp();
    reports.fact(1, "end", R"({"steps":4,"unfinished_backwards":3})").state(1, RankStage::kFinished);
    CHECK(
        findingOf(reports.diagnosis(), "gradients-left-over").text ==
        "No optimizer step follows the last 3 backward passes of rank 1: the model does not learn from their samples.");
    Reports none = healthyDdp();
    none.facts("end", R"({"steps":4,"unfinished_backwards":0})")
        .state(0, RankStage::kFinished)
        .state(1, RankStage::kFinished);
    CHECK(resultOf(none.diagnosis(), "gradients-left-over") == "passed");
}

TEST_CASE("losses that are not finite until the end are a mistake, a missing loss is not") {
    Reports nan(1);
    nan.facts("step_counts", counts(R"("backwards":1)")).steps(0, {1, 2, kNaN, kNaN});
    CHECK(findingOf(nan.diagnosis(), "loss-not-finite").text ==
          "The loss of rank 0 is infinite or not a number from step 3 to step 4.");
    CHECK(findingOf(nan.diagnosis(), "loss-not-finite").where == "train.py:40");
    Reports stage(1);  // a stage of a pipeline, in which no loss is passed to backward()
    stage.facts("step_counts", R"({"from_step":1,"backwards":1,"losses":[]})").steps(0, {kNaN, kNaN, kNaN});
    CHECK(accusations(stage.diagnosis()).empty());
    Reports recovers(1);
    recovers.facts("step_counts", counts(R"("backwards":1)")).steps(0, {1, kNaN, 2, 1});
    CHECK(accusations(recovers.diagnosis()).empty());
}

TEST_CASE("many skipped steps of GradScaler are a cost, and skipped steps at its start are usual") {
    Reports many = healthyDdp();
    for (int i = 0; i < 13; ++i) many.fact(0, "skipped_step", R"({"after_step":1})");
    CHECK(accusations(many.diagnosis()) == std::vector<std::string>{"steps-skipped"});
    Reports few = healthyDdp();
    for (int i = 0; i < 3; ++i) few.fact(0, "skipped_step", R"({"after_step":0})");
    CHECK(resultOf(few.diagnosis(), "steps-skipped") == "passed");
}

TEST_CASE("schedulers that step once per rank are a mistake, but not those of Accelerate") {
    const std::string twice = R"({"from_step":1,"backwards":1,"scheduler_steps":2,"losses":["train.py:40"]})";
    const auto with = [&](const std::string& process, int schedulers, const char* line = nullptr) {
        Reports reports(2);
        if (line != nullptr) reports.facts("scheduler_step", R"({"where":")" + std::string(line) + R"("})");
        reports.facts("process", process).facts("step_counts", twice);
        for (int i = 0; i < schedulers; ++i) reports.facts("scheduler", R"({"class":"StepLR","where":"train.py:60"})");
        for (int rank = 0; rank < 2; ++rank) reports.steps(rank, {2, 1, 1});
        return reports.diagnosis();
    };
    const std::string process = R"({"world_size":2,"distributed":true})";
    CHECK(findingOf(with(process, 1), "scheduler-too-often").text ==
          "Schedulers step 2 times per optimizer step, once for each rank, although the script has one scheduler: the "
          "learning rate changes too fast.");
    CHECK(findingOf(with(process, 1), "scheduler-too-often").where == "train.py:60");
    CHECK(findingOf(with(process, 1, "train.py:71"), "scheduler-too-often").where == "train.py:71");
    CHECK(resultOf(with(process, 2), "scheduler-too-often") == "passed");
    CHECK(resultOf(with(R"({"world_size":2,"accelerate":"1.15.0"})", 1), "scheduler-too-often") == "skipped");
}

TEST_CASE("unequal numbers of batches are found before the ranks hang, unless the script limits or joins them") {
    const auto with = [](const std::string& more, bool joins) {
        Reports reports = healthyDdp();
        const std::string longer = R"({"class":"T","object":1,"length":20,"content_crc32":[1]})";
        reports.fact(0, "loader", loaderFacts(0, kRandomSampler, kData));
        reports.fact(
            1, "loader",
            loaderFacts(0, R"({"class":"torch.utils.data.sampler.RandomSampler","source_length":20})", longer));
        for (int rank = 0; rank < 2; ++rank) reports.trained(rank, 0, 0, 1, 0, {0, 1, 2, 3});
        if (joins) reports.facts("buckets", R"({"iteration":1,"join":true})");
        if (!more.empty()) reports.facts("pass_end", more);
        return reports.diagnosis();
    };
    CHECK(
        findingOf(with("", false), "uneven-steps").text ==
        "The ranks train unequal numbers of steps: rank 1 has 5 batches and rank 0 has 4 batches. The ranks with more "
        "batches wait for all-reduces that never complete.");
    CHECK(resultOf(with("", true), "uneven-steps") == "passed");
    const std::string left = R"({"loader":0,"pass":0,"why":"left","trained":1,"untrained":0,"epoch":0})";
    CHECK(resultOf(with(left, false), "uneven-steps") == "passed");
    Reports failed = healthyDdp(kRandomSampler, kData);
    failed.fact(1, "loader", loaderFacts(0, kRandomSampler, R"({"class":"T","object":1,"length":20})"));
    for (int rank = 0; rank < 2; ++rank) failed.trained(rank, 0, 0, 1, 0, {0, 1, 2, 3});
    failed.fact(1, "pass_end", left).state(1, RankStage::kFailed);
    CHECK(resultOf(failed.diagnosis(), "uneven-steps") == "found");
}

TEST_CASE("parameters in no optimizer are named after 16 steps") {
    const auto with = [](const std::string& facts) {
        Reports reports = ownLoop();
        reports.facts("data_parallel", R"({"kind":"ddp","where":"train.py:20","ranks":[0,1]})");
        for (int rank = 0; rank < 2; ++rank)
            for (const std::int64_t step : {0, 1, 2, 4}) reports.checksums(rank, step, {"w", "b"}, {step, step + 10});
        reports.facts("unoptimized", facts);
        return reports.diagnosis();
    };
    const auto looked = [](int step, int tensors) {
        return R"({"model":0,"after_step":)" + std::to_string(step) + R"(,"trainable_tensors":16,"tensors":)" +
               std::to_string(tensors) + R"(,"parameters":75,"names":["clf_head.weight","clf_head.bias"]})";
    };
    const Finding finding = findingOf(with(looked(16, 2)), "parameters-not-optimized");
    CHECK(finding.text ==
          "2 tensors of 16 that get gradients are in no optimizer and do not change, for example clf_head.weight.");
    CHECK(finding.severity == Severity::kMistake);
    CHECK(finding.where == "train.py:50");
    CHECK(resultOf(with(looked(8, 2)), "parameters-not-optimized") == "could_not_judge");
    CHECK(resultOf(with(looked(16, 0)), "parameters-not-optimized") == "passed");
    CHECK(resultOf(ownLoop().diagnosis(), "parameters-not-optimized") == "skipped");
    // A model whose optimizer makes its first step late: the latest report of "unoptimized" counts.
    Reports late = ownLoop();
    late.facts("unoptimized", looked(16, 2));
    late.facts("unoptimized", looked(32, 0));
    CHECK(resultOf(late.diagnosis(), "parameters-not-optimized") == "passed");
}

TEST_CASE("gradients that are clipped while they are scaled are named") {
    const auto with = [](const char* facts) {
        Reports reports = ownLoop();
        partFrom(reports, 100);
        reduce(reports, 40);
        reports.facts("clipping", R"({"where":"train.py:44","function":"clip_grad_norm_",)" + std::string(facts) + "}");
        return reports.diagnosis();
    };
    const Finding finding = findingOf(with(R"("limit":1.0,"scaled":true,"scale":65536)"), "clipped-before-unscaling");
    CHECK(finding.text ==
          "clip_grad_norm_() limits the gradients to 1 while GradScaler's factor of 65,536 has not been removed from "
          "them: the optimizer steps are too small by this factor.");
    CHECK(finding.where == "train.py:44");
    CHECK(resultOf(with(R"("limit":1.0,"scaled":true,"scale":null)"), "clipped-before-unscaling") == "found");
    CHECK(resultOf(with(R"("limit":1.0,"scaled":false,"scale":null)"), "clipped-before-unscaling") == "passed");
    // A script that multiplies the limit by the factor, too.
    CHECK(resultOf(with(R"("limit":65536.0,"scaled":true,"scale":65536)"), "clipped-before-unscaling") == "passed");
    CHECK(resultOf(ownLoop().diagnosis(), "clipped-before-unscaling") == "skipped");
}
