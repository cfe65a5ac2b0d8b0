// SPDX-License-Identifier: Apache-2.0
#include "support/catch.h"
#include "watch/doctor/reports.h"

using namespace ringside;
using namespace ringside::testing;

// A run that resumes after 4 of 8 batches of 2 samples per rank, with a sampler that starts at the first sample that was
// not trained.
TEST_CASE("The rest of an epoch that a resumed run begins with leaves out no samples") {
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
