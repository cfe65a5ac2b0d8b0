// SPDX-License-Identifier: Apache-2.0
#include "run/record/plan_watch.h"

#include "sampling/plan/epoch_spec.h"
#include "support/catch.h"

using namespace ringside;

namespace {

using std::chrono::seconds;

// Order torch.randperm(10) with seed 0: 4 1 7 5 3 9 0 8 6 2. The ranks get 4 3 6 | 1 9 2 | 7 0 4 | 5 8 1.
PlanWatchOptions tenOnFour() {
    PlanWatchOptions options;
    options.config.loader.batchSize = 2;
    options.datasetSize = 10;
    options.share = 1;
    return options;
}

std::string hashOf(const PlanWatchOptions& options, int rank) {
    return trainedHash(ShardPlan::make(epochSpec(options.config, options.datasetSize, 0)).value(), rank);
}

}  // namespace

TEST_CASE("the hash of a rank is that of its int64 indices") {
    // The expected hash is hashlib.sha256(struct.pack("<3q", 4, 3, 6)).hexdigest() in Python.
    CHECK(hashOf(tenOnFour(), 0) == "d867669b900319666376d1806510184ef3818b97986f2042625eee93f68c1903");
}

TEST_CASE("an epoch is compared when every rank has reported it") {
    const PlanWatchOptions options = tenOnFour();
    PlanWatch watch(options);
    for (int rank = 0; rank < 4; ++rank) watch.add(Consumed{rank, 0, 3, hashOf(options, rank)});
    watch.add(Consumed{0, 1, 3, "unfinished"});
    const PlanResults news = watch.finish(seconds(10));
    CHECK(news.auditedEpochs == std::vector<std::int64_t>{0});
    REQUIRE(news.mismatches.size() == 1);
    CHECK(news.mismatches[0] == PlanMismatch{0, 1});
    CHECK(news.mismatches[0].text() ==
          "rank 0, epoch 2: the trained samples differ from the planned samples (found by comparing their hashes)");
}

TEST_CASE("an epoch that a script leaves early is compared as far as it was trained") {
    // The hash is hashlib.sha256(struct.pack("<2q", 4, 3)).hexdigest() in Python.
    const Consumed left{0, 0, 2, "051a156331f33b0db721f9513137ea49afb1324a682e89d899a4f6974fc5e771"};
    PlanWatchOptions options = tenOnFour();
    for (const bool mayEndEarly : {false, true}) {
        CAPTURE(mayEndEarly);
        options.mayEndEarly = mayEndEarly;
        PlanWatch watch(options);
        watch.add(left);
        for (int rank = 1; rank < 4; ++rank) watch.add(Consumed{rank, 0, 3, hashOf(options, rank)});
        const PlanResults news = watch.finish(seconds(10));
        CHECK(news.auditedEpochs.empty() == mayEndEarly);
        CHECK(news.mismatches.empty() == mayEndEarly);
    }
    PlanWatch wrong(options);
    wrong.add(Consumed{1, 0, 2, left.sha256});
    CHECK(wrong.finish(seconds(10)).mismatches == std::vector{PlanMismatch{1, 0}});
}

TEST_CASE("ranks that were started again are compared by their last report of an epoch") {
    PlanWatchOptions options = tenOnFour();
    options.mayEndEarly = true;
    PlanWatch watch(options);
    for (int attempt = 0; attempt < 2; ++attempt)
        for (int rank = 0; rank < (attempt == 0 ? 2 : 4); ++rank)
            watch.add(Consumed{rank, 0, 3, hashOf(options, rank)});
    const PlanResults news = watch.finish(seconds(10));
    CHECK(news.auditedEpochs == std::vector<std::int64_t>{0});
    CHECK(news.mismatches.empty());
}

TEST_CASE("a wrong sample is found by step and slot, and not reported again by the hash of its epoch") {
    PlanWatch watch(tenOnFour());
    watch.add(ConsumedIndices{2, 0, 1, 0, {7, 0}});
    watch.add(ConsumedIndices{2, 0, 2, 2, {9}});
    watch.add(ConsumedIndices{1, 0, 1, 0, {1, 9}});
    for (int rank = 0; rank < 4; ++rank) watch.add(Consumed{rank, 0, 3, hashOf(tenOnFour(), rank == 2 ? 1 : rank)});
    const PlanResults news = watch.finish(seconds(10));
    REQUIRE(news.mismatches.size() == 1);
    CHECK(news.mismatches[0] == PlanMismatch{2, 0, 2, 2, 4, 9});
    CHECK(news.mismatches[0].text() == "rank 2, epoch 1, step 2, slot 2: planned 4, trained 9");
    REQUIRE(news.confirmed.size() == 2);
    CHECK(news.confirmed[0].rank == 2);
    CHECK(news.confirmed[0].count == 2);
    CHECK(news.confirmed[1].count == 2);
}

TEST_CASE("samples after the planned ones and samples of unknown ranks are mismatches") {
    PlanWatch watch(tenOnFour());
    watch.add(ConsumedIndices{3, 0, 2, 2, {1, 6}});
    watch.add(ConsumedIndices{7, 0, 1, 0, {1, 6}});
    const PlanResults news = watch.finish(seconds(10));
    REQUIRE(news.mismatches.size() == 1);
    CHECK(news.mismatches[0].text() == "rank 3, epoch 1, step 2, slot 3: no sample planned, trained 6");
}

TEST_CASE("samples dropped by the loader are not expected") {
    PlanWatchOptions options = tenOnFour();
    options.config.loader.dropLast = true;
    PlanWatch watch(options);
    for (int rank = 0; rank < 4; ++rank) watch.add(Consumed{rank, 0, 2, hashOf(options, rank)});
    CHECK(hashOf(options, 0) != hashOf(tenOnFour(), 0));
    CHECK(watch.finish(seconds(10)).auditedEpochs.size() == 1);
}

TEST_CASE("a sampler that needs classes is not compared without them") {
    PlanWatchOptions options = tenOnFour();
    options.config.sampler.kind = SamplerKind::kClassBalanced;
    PlanWatch watch(options);
    watch.add(ConsumedIndices{0, 0, 1, 0, {7, 7}});
    const PlanResults news = watch.finish(seconds(10));
    CHECK(news.mismatches.empty());
    CHECK(news.confirmed.empty());
}
