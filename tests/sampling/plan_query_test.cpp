// SPDX-License-Identifier: Apache-2.0
#include "sampling/query/plan_query.h"

#include "support/catch.h"

using namespace ringside;

namespace {

// Ten samples on four ranks, seed 0, epoch 0: torch.randperm(10) is 4 1 7 5 3 9 0 8 6 2, so with padding the ranks get
// 4 3 6 | 1 9 2 | 7 0 4 | 5 8 1 in steps of two.
ShardSpec tenOnFour() {
    return {.datasetSize = 10, .worldSize = 4, .batchSize = 2};
}

std::vector<PlanHit> hits(const ShardSpec& spec, const char* text, std::span<const std::uint16_t> labels = {}) {
    PlanQuery query = parsePlanQuery(text).value();
    if (query.className) query.label = std::stoll(*query.className);
    return findInPlan(ShardPlan::make(spec).value(), query, labels).value();
}

std::string refusalOf(const char* text) {
    return parsePlanQuery(text).problem().text();
}

}  // namespace

TEST_CASE("a search is read term by term") {
    const PlanQuery query = parsePlanQuery("  rank:3 epoch:2, step:5 class:cat dup ").value();
    CHECK(query.rank == 3);
    CHECK(query.epoch == 2);
    CHECK(query.step == 5);
    CHECK(query.className == "cat");
    CHECK(query.state == PlanQuery::State::Duplicate);
    CHECK(parsePlanQuery("#4242").value().sample == 4242);
    CHECK(parsePlanQuery("4242").value() == parsePlanQuery("sample:4242").value());
    CHECK(parsePlanQuery("never-seen").value().state == PlanQuery::State::NeverSeen);
}

TEST_CASE("an invalid search is reported with the word and the valid terms") {
    for (const char* text : {"frog", "colour:3", "rank:", "rank:x", "rank:-1", "#", "#12x", "class:", "dup dropped",
                             "rank:1 rank:2", "#99999999999999999999"}) {
        INFO(text);
        REQUIRE(!parsePlanQuery(text));
        CHECK(refusalOf(text).find("try #4242") != std::string::npos);
    }
    CHECK(refusalOf("dup colour:3").find("\"colour:3\"") == 0);
    CHECK(!parsePlanQuery(" \t"));
}

TEST_CASE("all uses of a sample are found") {
    CHECK(hits(tenOnFour(), "#4") == std::vector<PlanHit>{{4, 0, 0}, {4, 2, 2}});
    CHECK(hits(tenOnFour(), "#4 dup") == std::vector<PlanHit>{{4, 2, 2}});
    CHECK(hits(tenOnFour(), "#4 rank:1").empty());
}

TEST_CASE("a rare class is found in the order of training, repeats and dropped samples too") {
    ShardSpec spec = tenOnFour();
    spec.datasetSize = 399;
    std::vector<std::uint16_t> labels(399);
    for (const bool dropLast : {false, true}) {
        spec.dropLast = dropLast;
        const ShardPlan plan = ShardPlan::make(spec).value();
        const std::int64_t special[] = {17, 42, plan.order().front(), plan.order().back()};
        for (const std::int64_t sample : special) labels[static_cast<std::size_t>(sample)] = 7;
        std::vector<PlanHit> expected;
        for (std::int64_t slot = 0; slot < plan.samplesPerRank(); ++slot) {
            for (int rank = 0; rank < 4; ++rank) {
                const auto sample = static_cast<std::uint32_t>(plan.index(rank, slot));
                if (labels[sample] == 7) expected.push_back({sample, rank, static_cast<std::int32_t>(slot)});
            }
        }
        if (dropLast) expected.push_back({plan.order().back()});
        CHECK(expected.size() >= (dropLast ? 4 : 5));
        CHECK(hits(spec, "class:7", labels) == expected);
    }
}

TEST_CASE("ranks, steps, classes and duplicates are found in the order of training") {
    CHECK(hits(tenOnFour(), "rank:3") == std::vector<PlanHit>{{5, 3, 0}, {8, 3, 1}, {1, 3, 2}});
    CHECK(hits(tenOnFour(), "rank:3 step:2") == std::vector<PlanHit>{{1, 3, 2}});
    CHECK(hits(tenOnFour(), "dup") == std::vector<PlanHit>{{4, 2, 2}, {1, 3, 2}});
    const std::vector<std::uint16_t> labels = {0, 1, 0, 1, 0, 1, 0, 1, 0, 1};
    CHECK(hits(tenOnFour(), "class:1 step:2", labels) == std::vector<PlanHit>{{1, 3, 2}});
    CHECK(hits(tenOnFour(), "class:1", labels).size() == 6);
}

TEST_CASE("dropped samples are found, and samples that the loader drops are found with their rank") {
    ShardSpec spec = tenOnFour();
    CHECK(hits(spec, "dropped").empty());
    spec.dropLast = true;
    CHECK(hits(spec, "dropped") == std::vector<PlanHit>{{6, -1, -1}, {2, -1, -1}});
    CHECK(hits(spec, "#6") == std::vector<PlanHit>{{6, -1, -1}});
    spec.dropLast = false;
    spec.loaderDropLast = true;
    CHECK(hits(spec, "dropped") == std::vector<PlanHit>{{6, 0, 2}, {2, 1, 2}, {4, 2, 2}, {1, 3, 2}});
}

// Unpadded and in order, the ranks have 0 4 8 | 1 5 9 | 2 6 | 3 7. The loader drops batches of less than three samples.
TEST_CASE("samples that the loader drops on shorter ranks are found") {
    ShardSpec spec{.datasetSize = 10, .worldSize = 4, .shuffle = false, .batchSize = 3, .loaderDropLast = true};
    spec.kind = SamplerKind::kUnpadded;
    CHECK(hits(spec, "dropped") == std::vector<PlanHit>{{2, 2, 0}, {3, 3, 0}, {6, 2, 1}, {7, 3, 1}});
    CHECK(hits(spec, "dropped rank:3") == std::vector<PlanHit>{{3, 3, 0}, {7, 3, 1}});
    CHECK(hits(spec, "dropped rank:0").empty());
    CHECK(hits(spec, "dropped #6") == std::vector<PlanHit>{{6, 2, 1}});
    CHECK(hits(spec, "dropped #4").empty());
}

TEST_CASE("searches outside the plan are refused with its limits") {
    const ShardPlan plan = ShardPlan::make(tenOnFour()).value();
    for (const char* text : {"#10", "rank:4", "step:0", "step:3"}) {
        INFO(text);
        CHECK(!findInPlan(plan, parsePlanQuery(text).value()));
    }
    PlanQuery query;
    query.label = 1;
    CHECK(!findInPlan(plan, query));
    CHECK(findInPlan(plan, parsePlanQuery("rank:4").value()).problem().text().find("0 to 3") != std::string::npos);
}

TEST_CASE("the samples never seen are those that every epoch drops") {
    const auto fixed = [](std::int64_t epoch) {
        ShardSpec spec = tenOnFour();
        spec.dropLast = true;
        spec.shuffle = epoch < 0;
        return spec;
    };
    CHECK(neverSeenSamples(fixed, 5) == std::vector<std::uint32_t>{8, 9});
    const auto shuffled = [](std::int64_t epoch) {
        ShardSpec spec = tenOnFour();
        spec.dropLast = true;
        spec.epoch = epoch;
        return spec;
    };
    CHECK(neverSeenSamples(shuffled, 1) == std::vector<std::uint32_t>{2, 6});
    // torch.randperm(10) seeded with 1 is 5 6 1 2 0 8 9 3 7 4: it drops 7 and 4 instead.
    CHECK(neverSeenSamples(shuffled, 2).empty());
}

// Unpadded and in order, the ranks have 0 4 8 | 1 5 9 | 2 6 | 3 7. The loader keeps one batch of ranks 0 and 1.
TEST_CASE("a step has no samples of a rank whose batch the loader drops") {
    ShardSpec spec{.datasetSize = 10, .worldSize = 4, .shuffle = false, .batchSize = 3, .loaderDropLast = true};
    spec.kind = SamplerKind::kUnpadded;
    CHECK(hits(spec, "step:1") ==
          std::vector<PlanHit>{{0, 0, 0}, {1, 1, 0}, {4, 0, 1}, {5, 1, 1}, {8, 0, 2}, {9, 1, 2}});
    CHECK(hits(spec, "step:1 rank:2").empty());
    CHECK(hits(spec, "step:1 #6").empty());
    CHECK(hits(spec, "step:1 dropped").empty());
    CHECK(hits(spec, "step:1 #9") == std::vector<PlanHit>{{9, 1, 2}});
}

// Ten samples in order, with num_replicas=8 as a hard-coded mistake: the four ranks get 0 8 | 1 9 | 2 0 | 3 1, and no
// rank gets 4 5 6 7.
TEST_CASE("samples that a mistake leaves out are found by class and as dropped") {
    ShardSpec spec{.datasetSize = 10, .worldSize = 4, .shuffle = false, .pitfalls = {.wrongWorldSize = 8}};
    const std::vector<std::uint16_t> labels = {0, 1, 0, 1, 0, 1, 0, 1, 0, 1};
    CHECK(hits(spec, "dropped") == std::vector<PlanHit>{{4}, {5}, {6}, {7}});
    CHECK(hits(spec, "dropped class:1", labels) == std::vector<PlanHit>{{5}, {7}});
    CHECK(hits(spec, "dropped rank:1").empty());
    CHECK(hits(spec, "class:1", labels) == std::vector<PlanHit>{{1, 1, 0}, {3, 3, 0}, {9, 1, 1}, {1, 3, 1}, {5}, {7}});
    // Every process passes rank=1, so all have 1 5 9.
    spec.pitfalls = {.wrongRank = 1};
    CHECK(hits(spec, "dropped") == std::vector<PlanHit>{{0}, {2}, {3}, {4}, {6}, {7}, {8}});
    // Each rank divides its shard 0 4 8 | 1 5 9 | 2 6 | 3 7 among all ranks again. Padding makes all parts equally
    // long.
    spec.pitfalls = {.doubleSharding = true};
    const ShardPlan plan = ShardPlan::make(spec).value();
    std::vector<PlanHit> unused;
    for (std::uint32_t sample = 0; sample < 10; ++sample)
        if (plan.usesByScan(sample).empty()) unused.push_back({sample});
    REQUIRE(unused.size() > 4);
    CHECK(hits(spec, "dropped") == unused);
}

TEST_CASE("a rare class is found with the samples that a mistake leaves out") {
    ShardSpec spec{.datasetSize = 400, .worldSize = 4, .shuffle = false, .pitfalls = {.wrongWorldSize = 8}};
    std::vector<std::uint16_t> labels(400);
    labels[3] = labels[7] = 9;  // position 3 belongs to rank 3, position 7 to a rank that does not exist
    CHECK(hits(spec, "class:9", labels) == std::vector<PlanHit>{{3, 3, 0}, {7}});
    CHECK(searchSize(ShardPlan::make(spec).value(), parsePlanQuery("dropped").value()) >= 400);
}
