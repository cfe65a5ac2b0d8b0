// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <tuple>

#include "sampling/query/plan_query.h"
#include "support/catch.h"
#include "support/labelled_set.h"

using namespace ringside;
using State = PlanQuery::State;

namespace {

// True if the slot of a rank satisfies each term of the query.
bool matches(const ShardPlan& plan, const PlanQuery& query, std::span<const std::uint16_t> labels, int rank,
             std::int64_t slot) {
    const std::int64_t sample = plan.index(rank, slot);
    if (query.sample && sample != *query.sample) return false;
    if (query.rank && rank != *query.rank) return false;
    if (query.label && labels[static_cast<std::size_t>(sample)] != *query.label) return false;
    const bool trained = slot < plan.trainedOf(rank);
    if (query.step && (!trained || slot / plan.spec().batchSize + 1 != *query.step)) return false;
    if (query.state == State::Duplicate) return plan.isPadded(rank, slot);
    return query.state == State::Any || !trained;
}

// Returns the hits of a query by examining each slot of each rank, then each dropped sample.
std::vector<PlanHit> examined(const ShardPlan& plan, const PlanQuery& query, std::span<const std::uint16_t> labels) {
    std::vector<PlanHit> hits;
    for (std::int64_t slot = 0; slot < plan.samplesPerRank(); ++slot)
        for (int rank = 0; rank < plan.spec().worldSize; ++rank)
            if (slot < plan.samplesOf(rank) && matches(plan, query, labels, rank, slot))
                hits.push_back(
                    {static_cast<std::uint32_t>(plan.index(rank, slot)), rank, static_cast<std::int32_t>(slot)});
    if (query.rank || query.step || query.state == State::Duplicate) return hits;
    // Samples without a slot: those that the sampler drops in the order of the plan, the others in ascending order.
    std::vector<std::uint32_t> unused(plan.dropped().begin(), plan.dropped().end());
    if (plan.spec().pitfalls.any() || plan.spec().kind == SamplerKind::kSubset) {
        unused.clear();
        for (std::uint32_t sample = 0; sample < plan.spec().datasetSize; ++sample)
            if (plan.usesByScan(sample).empty()) unused.push_back(sample);
    }
    for (const std::uint32_t sample : unused) {
        if (query.sample && *query.sample != sample) continue;
        if (!query.label || labels[sample] == *query.label) hits.push_back({sample});
    }
    return hits;
}

std::vector<ShardSpec> specs() {
    std::vector<ShardSpec> all;
    for (const bool dropLast : {false, true})
        for (const bool loaderDropLast : {false, true})
            for (const SamplerKind kind : {SamplerKind::kDistributed, SamplerKind::kContiguous,
                                           SamplerKind::kBatchSharded, SamplerKind::kRandom})
                all.push_back({.datasetSize = 37,
                               .worldSize = 5,
                               .dropLast = dropLast,
                               .batchSize = 3,
                               .loaderDropLast = loaderDropLast,
                               .kind = kind});
    all.push_back({.datasetSize = 37, .worldSize = 5, .batchSize = 4, .kind = SamplerKind::kUnpadded});
    all.push_back(
        {.datasetSize = 37, .worldSize = 5, .batchSize = 8, .loaderDropLast = true, .kind = SamplerKind::kUnpadded});
    all.push_back({.datasetSize = 37, .worldSize = 5, .batchSize = 3, .kind = SamplerKind::kSubset});
    all.push_back({.datasetSize = 37, .worldSize = 5, .dropLast = true, .pitfalls = {.wrongWorldSize = 8}});
    all.push_back({.datasetSize = 37, .worldSize = 5, .pitfalls = {.doubleSharding = true}});
    all.push_back({.datasetSize = 2, .worldSize = 5});  // more padding than samples
    all.push_back({.datasetSize = 37, .worldSize = 5, .pitfalls = {.wrongRank = 1}});
    return all;
}

// Returns a query with one term.
PlanQuery only(std::optional<std::int64_t> PlanQuery::*term, std::int64_t value) {
    PlanQuery query;
    query.*term = value;
    return query;
}

// Returns each value, and one empty value.
std::vector<std::optional<std::int64_t>> optional(const std::vector<std::int64_t>& values) {
    std::vector<std::optional<std::int64_t>> all = {std::nullopt};
    all.insert(all.end(), values.begin(), values.end());
    return all;
}

}  // namespace

TEST_CASE("each combination of terms finds what an examination of every slot finds") {
    for (const ShardSpec& spec : specs()) {
        const ShardPlan plan = ShardPlan::make(spec).value();
        std::vector<std::uint16_t> labels(static_cast<std::size_t>(spec.datasetSize));
        for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = i == 17 ? 9 : static_cast<std::uint16_t>(i % 3);
        for (const State state : {State::Any, State::Duplicate, State::Dropped})
            for (const auto& rank : optional({0, 2, 4}))
                for (const auto& step : optional({1, plan.stepsPerEpoch()}))
                    for (const auto& label : optional({0, 2, 9, 70000}))
                        for (const auto& sample : optional({0, 1, spec.datasetSize - 1})) {
                            PlanQuery query;
                            query.sample = sample;
                            query.label = label;
                            query.rank = rank;
                            query.step = step;
                            query.state = state;
                            CAPTURE(samplerName(spec.kind), spec.dropLast, spec.loaderDropLast, spec.datasetSize);
                            CAPTURE(static_cast<int>(state), rank.value_or(-1), step.value_or(-1), label.value_or(-1),
                                    sample.value_or(-1));
                            std::vector<PlanHit> hits = findInPlan(plan, query, labels).value();
                            if (sample)  // slots of one sample are listed in the order of positions
                                std::ranges::sort(hits, {},
                                                  [](const PlanHit& hit) { return std::pair(hit.slot, hit.rank); });
                            CHECK(hits == examined(plan, query, labels));
                        }
    }
}

TEST_CASE("terms at the limits of the plan are accepted, and terms beyond them refused with the limits") {
    const ShardPlan plan = ShardPlan::make({.datasetSize = 10, .worldSize = 4, .batchSize = 2}).value();
    const auto refusal = [&plan](const PlanQuery& query) {
        const auto hits = findInPlan(plan, query);
        return hits ? std::string() : hits.problem().text();
    };
    CHECK((refusal(only(&PlanQuery::sample, 0)).empty() && refusal(only(&PlanQuery::sample, 9)).empty()));
    CHECK(refusal(only(&PlanQuery::sample, -1)) ==
          "sample is -1, but the plan has only samples 0 to 9: search for a number in this range");
    CHECK(refusal(only(&PlanQuery::sample, 10)) ==
          "sample is 10, but the plan has only samples 0 to 9: search for a number in this range");
    CHECK((refusal(only(&PlanQuery::rank, 0)).empty() && refusal(only(&PlanQuery::rank, 3)).empty()));
    CHECK(refusal(only(&PlanQuery::rank, -1)) ==
          "rank is -1, but the plan has only ranks 0 to 3: search for a number in this range");
    CHECK(refusal(only(&PlanQuery::rank, 4)) ==
          "rank is 4, but the plan has only ranks 0 to 3: search for a number in this range");
    CHECK((refusal(only(&PlanQuery::step, 1)).empty() && refusal(only(&PlanQuery::step, 2)).empty()));
    CHECK(refusal(only(&PlanQuery::step, 0)) ==
          "step is 0, but the plan has only steps 1 to 2: search for a number in this range");
    CHECK(refusal(only(&PlanQuery::step, 3)) ==
          "step is 3, but the plan has only steps 1 to 2: search for a number in this range");
    CHECK_THAT(refusal(only(&PlanQuery::label, 0)), containing("this data set has no classes"));
}

TEST_CASE("the size of a search is the number of slots and samples that it examines") {
    ShardSpec spec{.datasetSize = 10, .worldSize = 4, .batchSize = 2};  // 3 slots per rank, 2 of them padded
    ShardPlan plan = ShardPlan::make(spec).value();
    CHECK(searchSize(plan, {}) == 12);
    CHECK(searchSize(plan, only(&PlanQuery::sample, 3)) == 1);
    CHECK(searchSize(plan, only(&PlanQuery::rank, 1)) == 3);
    CHECK(searchSize(plan, only(&PlanQuery::step, 1)) == 8);
    CHECK(searchSize(plan, only(&PlanQuery::step, 2)) == 4);
    PlanQuery both = only(&PlanQuery::rank, 1);
    both.step = 2;
    CHECK(searchSize(plan, both) == 1);
    CHECK((searchSize(plan, only(&PlanQuery::step, 0)) == 1 && searchSize(plan, only(&PlanQuery::step, 3)) == 1));
    PlanQuery duplicates;
    duplicates.state = State::Duplicate;
    CHECK(searchSize(plan, duplicates) == 2 + 4);
    spec.dropLast = true;  // 2 slots per rank, 2 samples dropped
    plan = ShardPlan::make(spec).value();
    CHECK(searchSize(plan, {}) == 8 + 2);
    PlanQuery dropped;
    dropped.state = State::Dropped;
    CHECK(searchSize(plan, dropped) == 2);
}

TEST_CASE("a stopped search ends early") {
    const std::atomic<bool> stop = true;
    const ShardPlan plan = ShardPlan::make({.datasetSize = 10, .worldSize = 4}).value();
    CHECK(findInPlan(plan, {}, {}, &stop).value().empty());
    CHECK(neverSeenSamples([](std::int64_t) { return ShardSpec{.datasetSize = 10}; }, 2, &stop).empty());
}

TEST_CASE("without an epoch no samples are listed as never seen") {
    const auto all = [](std::int64_t) { return ShardSpec{.datasetSize = 3, .worldSize = 1}; };
    CHECK(neverSeenSamples(all, 0).empty());
    CHECK(neverSeenSamples(all, 1).empty());
    // Epoch 0 trains nothing, epoch 1 all.
    const auto later = [](std::int64_t epoch) {
        return ShardSpec{.datasetSize = 3, .worldSize = 1, .batchSize = epoch == 0 ? 4 : 3, .loaderDropLast = true};
    };
    CHECK(neverSeenSamples(later, 1) == std::vector<std::uint32_t>{0, 1, 2});
    CHECK(neverSeenSamples(later, 2).empty());
}
