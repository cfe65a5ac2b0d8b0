// SPDX-License-Identifier: Apache-2.0
// Tests of the information in traces about the ranks for which others wait.
#include <set>
#include <tuple>

#include "train/strategy_runs.h"

using namespace ringside;
using namespace ringside::test;

namespace {

using Key = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>;  // step, sender, receiver, number

struct Ends {
    std::set<Key> sent, received;
    std::size_t count = 0;
};

Ends endsOf(const std::vector<RankReport>& ranks) {
    Ends ends;
    for (const RankReport& rank : ranks)
        for (const StepTrace& trace : rank.traces)
            for (std::size_t i = 0; i < trace.message.size(); ++i, ++ends.count) {
                const bool sent = trace.messageSent[i] != 0;
                const std::int64_t from = sent ? trace.rank : trace.messagePeer[i];
                const std::int64_t to = sent ? trace.messagePeer[i] : trace.rank;
                (sent ? ends.sent : ends.received).insert({trace.step, from, to, trace.message[i]});
                CHECK(trace.messageAt[i] <= trace.messageEnded[i]);
                CHECK(trace.messageBytes[i] > 0);
            }
    return ends;
}

std::size_t tracedSteps(const std::vector<RankReport>& ranks) {
    return ranks.front().traces.size();
}

}  // namespace

TEST_CASE("both ends of each message between the stages of a pipeline are recorded under one number") {
    RunConfig config = blobs(2, 8);
    config.model.hidden = {13, 9, 8, 7};
    config.training.maxSteps = 6;
    std::size_t perStep = 0;  // a forward and a backward message for each micro-batch and edge between two ranks
    SECTION("GPipe on three ranks") {
        config.parallel.worldSize = 3;
        config = pipelined(config, "gpipe", 4);
        perStep = 2 * 4 * 2;
    }
    SECTION("interleaved, four stages on two ranks, accumulating two batches") {
        config = accumulating(pipelined(config, "interleaved", 4, 2), 2);
        perStep = 2 * 4 * 3 * 2;
    }
    SECTION("zero bubble, two replicas") {
        config.parallel.worldSize = 4;
        config = pipelined(config, "zero_bubble", 4);
        config.mesh.pipeline = 2;
        config.mesh.replicate = 2;
        perStep = 2 * 4 * 1 * 2;
    }
    const std::vector<RankReport> ranks = train(config).ranks;
    const Ends ends = endsOf(ranks);
    REQUIRE(tracedSteps(ranks) > 0);
    CHECK(ends.sent == ends.received);
    CHECK(ends.sent.size() == perStep * tracedSteps(ranks));
    CHECK(ends.count == 2 * ends.sent.size());
}

TEST_CASE("a trace contains the planned shares of work of its rank") {
    RunConfig config = pipelined(blobs(3, 8), "1f1b", 4);
    config.training.maxSteps = 2;
    double compute = 0, update = 0;
    for (const RankReport& rank : train(config).ranks) {
        REQUIRE(!rank.traces.empty());
        compute += rank.traces.front().planned.compute;
        update += rank.traces.front().planned.update;
    }
    CHECK(compute == Approx(1));
    CHECK(update == Approx(1));
    RunConfig whole = blobs(2, 8);
    whole.training.maxSteps = 2;
    CHECK(train(whole).ranks[1].traces.front().planned.isWhole());
}

TEST_CASE("a traced step of sharded parameters ends with a collective of all ranks after the update") {
    RunConfig config = sharded(blobs(2, 8), GENERATE("optimizer", "gradients", "parameters"), "layer");
    config.training.maxSteps = 4;
    for (const RankReport& rank : train(config).ranks) {
        REQUIRE(!rank.traces.empty());
        for (const StepTrace& trace : rank.traces) {
            const auto update = std::ranges::find(trace.phase, static_cast<std::int64_t>(Phase::kOptimizer));
            REQUIRE(update != trace.phase.end());
            REQUIRE(!trace.arrived.empty());
            CHECK(trace.arrived.back() > trace.at[static_cast<std::size_t>(update - trace.phase.begin())]);
            CHECK(trace.ended.back() <= trace.lengthNs);
        }
    }
}
