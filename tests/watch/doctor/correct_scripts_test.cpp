// SPDX-License-Identifier: Apache-2.0
#include "support/catch.h"
#include "watch/doctor/reports.h"

using namespace ringside;
using namespace ringside::testing;

// A run that resumes after 4 of 8 batches of 2 samples per rank, with a sampler that starts at the first sample that
// was not trained.
TEST_CASE("the rest of an epoch that a resumed run begins with leaves out no samples") {
    const std::string resumes = R"({"class":"train.Resumable","num_replicas":2,"rank":$R,"shuffle":true,)"
                                R"("num_samples":8,"total_size":16})";
    const auto first = [&](const std::string& sampler, int samplerEpoch, bool isWhole) {
        Reports reports = healthyDdp(sampler);
        const std::string epoch = R"(,"sampler_epoch":)" + std::to_string(samplerEpoch);
        for (int rank = 0; rank < 2; ++rank)
            reports.trainedPass(rank, 0, 0, epoch, {range(8 * rank, 8 * rank + (isWhole ? 8 : 4))});
        return reports;
    };
    const auto second = [](Reports reports, std::int64_t until) {
        reports.trainedPass(0, 0, 1, R"(,"sampler_epoch":2)", {range(8, 8 + until)});
        reports.trainedPass(1, 0, 1, R"(,"sampler_epoch":2)", {range(0, until)});
        return reports.diagnosis();
    };
    const Diagnosis resumed = second(first(resumes, 1, false), 8);
    CHECK(accusations(resumed).empty());
    CHECK(resultOf(resumed, "samples-never-seen") == "passed");
    CHECK(resultOf(first(resumes, 1, false).diagnosis(), "samples-never-seen") == "could_not_judge");
    CHECK(resultOf(first(resumes, 0, false).diagnosis(), "samples-never-seen") == "could_not_judge");

    // A sampler that leaves out samples in each epoch, also if the script counts epochs from 1.
    CHECK(findingOf(second(first(resumes, 1, false), 4), "samples-never-seen").text ==
          "8 samples of 16 (50 %) went to no rank in epoch 2.");
    const std::string half = R"({"class":"train.Half","num_replicas":2,"rank":$R,"num_samples":4})";
    CHECK(findingOf(first(half, 1, false).diagnosis(), "samples-never-seen").text ==
          "8 samples of 16 (50 %) went to no rank in epoch 1.");
    const std::string unknown = R"({"class":"train.Mine","num_replicas":2,"rank":$R})";
    CHECK(resultOf(first(unknown, 0, false).diagnosis(), "samples-never-seen") == "found");
    CHECK(resultOf(first(unknown, 1, false).diagnosis(), "samples-never-seen") == "could_not_judge");
    CHECK(resultOf(first(resumes, 0, true).diagnosis(), "samples-never-seen") == "passed");
}

// Rank 1 is 5 ms behind rank 0, so that rank 0 trains on all samples before rank 1 evaluates.
TEST_CASE("training on all samples after the last evaluation is no training on validation samples") {
    enum class Evaluates { kBefore, kAgain, kFromOneIterator };
    const auto with = [](Evaluates evaluates, bool hasEnded = true) {
        Reports reports = healthyDdp();
        const std::string base = R"({"class":"Base","object":7,"length":100,"content_crc32":[5]})";
        reports.facts("loader", loaderFacts(0, kDistributedSampler, subsetFacts(1, 80, "t")));
        reports.facts("loader", loaderFacts(1, kDistributedSampler, subsetFacts(2, 20, "v")));
        reports.facts("loader", loaderFacts(2, kDistributedSampler, base));
        reports.facts("subset", R"({"object":1,"first":0,"index":)" + listOf(range(0, 80)) + "}");
        reports.facts("subset", R"({"object":2,"first":0,"index":)" + listOf(range(80, 100)) + "}");
        for (int rank = 0; rank < 2; ++rank) {
            const auto begins = [&](const std::string& pass, std::int64_t timeUs) {
                reports.fact(rank, "pass", pass, timeUs + 5000 * rank);
            };
            reports.trainedPass(rank, 0, 0, "", {range(40 * rank, 40 * rank + 40)});
            reports.evaluatedPass(rank, 1, 0, range(10 * rank, 10 * rank + 10));
            if (hasEnded)
                reports.trainedPass(rank, 2, 0, "", {range(50 * rank, 50 * rank + 50)});
            else
                reports.trained(rank, 2, 0, 9, 0, range(50 * rank, 50 * rank + 50));
            begins(R"({"loader":0,"pass":0,"collectives":0})", 1000);
            begins(R"({"loader":1,"pass":0,"collectives":0})", 9000);
            begins(R"({"loader":2,"pass":0,"collectives":1})", 10000);
            if (evaluates == Evaluates::kFromOneIterator)
                reports.fact(rank, "pass_end", R"({"loader":1,"pass":0,"why":"left","untrained":1})", 30000);
            if (evaluates != Evaluates::kAgain) continue;
            reports.evaluatedPass(rank, 1, 1, range(10 * rank, 10 * rank + 10));
            begins(R"({"loader":1,"pass":1,"collectives":1})", 20000);
        }
        return reports.diagnosis();
    };
    CHECK(accusations(with(Evaluates::kBefore)).empty());
    CHECK(reasonOfResult(with(Evaluates::kBefore), "trained-on-validation") ==
          "the ranks begin to train on evaluated samples only after the last evaluation");
    CHECK(resultOf(with(Evaluates::kBefore, false), "trained-on-validation") == "could_not_judge");
    CHECK(accusations(with(Evaluates::kAgain)) == std::vector<std::string>{"trained-on-validation"});
    CHECK(accusations(with(Evaluates::kFromOneIterator)) == std::vector<std::string>{"trained-on-validation"});
}

TEST_CASE("an evaluation that each rank repeats is reported once if its samples are trained on") {
    Reports reports = healthyDdp();
    const std::string base = R"({"class":"Base","object":7,"length":100,"content_crc32":[5]})";
    reports.facts("loader", loaderFacts(0, kDistributedSampler, base));
    reports.facts("loader", loaderFacts(1, kRandomSampler, subsetFacts(2, 20, "v")));
    reports.facts("subset", R"({"object":2,"first":0,"index":)" + listOf(range(80, 100)) + "}");
    for (int rank = 0; rank < 2; ++rank)
        reports.trainedPass(rank, 0, 0, "", {range(50 * rank, 50 * rank + 50)}).evaluatedPass(rank, 1, 0, range(0, 20));
    CHECK(accusations(reports.diagnosis()) == std::vector<std::string>{"trained-on-validation"});
    CHECK(reasonOfResult(reports.diagnosis(), "validation-everywhere") == "explained by trained-on-validation");
}

// A rank reads 12 of its 20 samples twice in an epoch, and the other rank reads them too.
TEST_CASE("a sampler of the script that draws with replacement may give a sample to several ranks") {
    const std::string data = R"({"class":"T","object":1,"length":64,"content_crc32":[7]})";
    for (const char* const facts :
         {R"({"class":"train.Balanced","epoch":0})", R"({"class":"train.Balanced","num_replicas":2,"rank":$R})"}) {
        Reports reports = healthyDdp(facts, data);
        for (int rank = 0; rank < 2; ++rank) {
            std::vector<std::int64_t> draws;
            for (std::int64_t i = 0; i < 32; ++i) draws.push_back((i + 7 * rank) % 20);
            reports.trainedPass(rank, 0, 0, R"(,"sampler_epoch":0)", {draws});
        }
        CHECK(accusations(reports.diagnosis()).empty());
        CHECK(resultOf(reports.diagnosis(), "shards-overlap") == "passed");
        CHECK(resultOf(reports.diagnosis(), "samples-never-seen") == "skipped");
    }
    std::vector<std::int64_t> draws = range(0, 16);
    draws.insert(draws.end(), {3, 3, 5, 9, 5});
    Reports equal = healthyDdp(R"({"class":"train.Balanced","epoch":0})", data);
    for (int rank = 0; rank < 2; ++rank) equal.trainedPass(rank, 0, 0, "", {draws});
    CHECK(accusations(equal.diagnosis()) == std::vector<std::string>{"shards-overlap"});
    CHECK(findingOf(equal.diagnosis(), "shards-overlap").text ==
          "Ranks 0 and 1 draw the same 21 samples in the same order in epoch 1: the Balanced has the same seed on all "
          "ranks.");
}

// The model has one layer of batch normalisation, with a mean and a variance.
TEST_CASE("running statistics that the script averages before each evaluation are not judged") {
    const auto with = [](int collectives, int inTraining = 0) {
        Reports reports = healthyDdp();
        reports.facts("data_parallel",
                      R"({"kind":"ddp","where":"train.py:20","ranks":[0,1],"find_unused_parameters":false,)"
                      R"("broadcast_buffers":false,"batch_norms":{"BatchNorm1d":1}})");
        reports.facts("loader", loaderFacts(1, kDistributedSampler, kData));
        healthyEpochs(reports);
        for (int rank = 0; rank < 2; ++rank) {
            reports.evaluatedPass(rank, 1, 0, {8 * rank, 8 * rank + 1});
            reports.fact(rank, "pass", R"({"loader":0,"pass":1,"sampler_epoch":1,"collectives":4})", 1000);
            const std::string trained = std::to_string(4 + inTraining);
            reports.fact(
                rank, "pass_end",
                R"({"loader":0,"pass":1,"why":"exhausted","trained":2,"untrained":0,"epoch":1,"collectives":)" +
                    trained + "}");
            const std::string after = std::to_string(4 + inTraining + collectives);
            reports.fact(rank, "pass", R"({"loader":1,"pass":0,"collectives":)" + after + "}", 2000);
            const std::string end = std::to_string(8 + inTraining + collectives);
            reports.fact(rank, "end", R"({"steps":4,"collectives":)" + end + "}", 3000);
            reports.checksums(rank, 8, {"w", "1.running_mean", "1.running_var"}, {1, 2 + rank, 4 + rank});
        }
        return reports.diagnosis();
    };
    CHECK(accusations(with(2)).empty());
    CHECK(resultOf(with(2), "batch-norm-differs") == "could_not_judge");
    CHECK(accusations(with(1)) == std::vector<std::string>{"batch-norm-differs"});
    CHECK(accusations(with(1, 100)) == std::vector<std::string>{"batch-norm-differs"});
    CHECK(findingOf(with(1), "batch-norm-differs").text.find("broadcast_buffers (or forward_sync_buffers) is False") !=
          std::string::npos);
}

TEST_CASE("a sampler of the script that shuffles by its epoch misses set_epoch too") {
    const std::vector<std::int64_t> shuffled{4, 2, 14, 6, 0, 12, 8, 10}, other{6, 0, 4, 12, 2, 10, 14, 8};
    const std::vector<std::int64_t> filled{2, 4, 6, 8, 10, 12, 14, 0};
    const auto with = [](const std::string& sampler, const std::vector<std::int64_t>& first,
                         const std::vector<std::int64_t>& second, const std::string& epoch) {
        Reports reports = healthyDdp(sampler, R"({"class":"Texts","object":1,"length":16})");
        reports.trainedPass(0, 0, 0, R"(,"sampler_epoch":0)", {first});
        reports.trainedPass(0, 0, 1, R"(,"sampler_epoch":)" + epoch, {second});
        return reports.diagnosis();
    };
    const std::string own = R"({"class":"__main__.Buckets","rank":$R,"epoch":0,"seed":0})";
    CHECK(accusations(with(own, shuffled, shuffled, "0")) == std::vector<std::string>{"set-epoch-missing"});
    CHECK(resultOf(with(own, shuffled, shuffled, "1"), "set-epoch-missing") == "passed");
    CHECK(resultOf(with(own, shuffled, other, "0"), "set-epoch-missing") == "passed");
    CHECK(resultOf(with(own, range(0, 8), range(0, 8), "0"), "set-epoch-missing") == "skipped");
    CHECK(resultOf(with(own, filled, filled, "0"), "set-epoch-missing") == "skipped");
    for (const char* ordered :
         {R"({"class":"__main__.ByLength","epoch":0,"shuffle":false})", R"({"class":"__main__.ByLength","epoch":0})"})
        CHECK(resultOf(with(ordered, shuffled, shuffled, "0"), "set-epoch-missing") == "skipped");
    Reports without = healthyDdp(R"({"class":"__main__.ByLength"})", R"({"class":"Texts","object":1,"length":16})");
    for (int pass = 0; pass < 2; ++pass) without.trainedPass(0, 0, pass, "", {shuffled});
    CHECK(resultOf(without.diagnosis(), "set-epoch-missing") == "skipped");
}

TEST_CASE("accumulated gradients that the script changes before the step are not judged") {
    Reports reports(1);
    reports
        .facts("step_counts",
               R"({"from_step":1,"optimizers":[0],"batches":[0],"losses":["train.py:40"],"skipped":0,"backwards":4})")
        .facts("optimizer", R"({"id":0,"class":"torch.optim.sgd.SGD"})");
    reports.facts("loss", R"({"where":"train.py:40","function":"NllLossBackward0"})");
    CHECK(resultOf(reports.diagnosis(), "accumulation-undivided") == "found");
    reports.facts("gradients_changed", R"({"after_step":1})");
    CHECK(resultOf(reports.diagnosis(), "accumulation-undivided") == "could_not_judge");
}
