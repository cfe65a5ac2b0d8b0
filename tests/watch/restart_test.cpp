// SPDX-License-Identifier: Apache-2.0
#include "run/record/repeat_filter.h"
#include "support/catch.h"
#include "watch/run/renumber.h"
#include "watch/seen/epoch_results.h"

using namespace ringside;

namespace {

StepsFrame steps(std::int64_t epoch, std::vector<std::int64_t> numbers, std::vector<double> losses) {
    StepsFrame frame;
    frame.epoch = epoch;
    frame.step = std::move(numbers);
    frame.loss = std::move(losses);
    frame.endUs.assign(frame.step.size(), 0);
    frame.samples.assign(frame.step.size(), 1);
    return frame;
}

template <class E>
E renumbered(E event, std::int64_t stepsBefore) {
    Event any = std::move(event);
    CHECK(renumberSteps(any, stepsBefore));
    return std::get<E>(any);
}

}  // namespace

TEST_CASE("steps after a restart follow the steps before it") {
    StepsFrame frame = steps(0, {3, 6}, {1, 1});
    frame.from = {1, 4};
    frame.traced = {6};
    const StepsFrame shifted = renumbered(frame, 10);
    CHECK(shifted.step == std::vector<std::int64_t>{13, 16});
    CHECK(shifted.from == std::vector<std::int64_t>{11, 14});
    CHECK(shifted.traced == std::vector<std::int64_t>{16});

    ConsumedIndices indices;
    indices.step = 1;
    CHECK(renumbered(indices, 10).step == 11);
    StepTrace trace;
    trace.step = 2;
    CHECK(renumbered(trace, 10).step == 12);
    Heartbeat beat;
    beat.step = 0;
    CHECK(renumbered(beat, 10).step == 10);
    Replica replica;
    replica.step = 4;
    CHECK(renumbered(replica, 10).step == 14);
}

TEST_CASE("checksums from before the first step are not recorded again after a restart") {
    Event before = Replica{};
    CHECK_FALSE(renumberSteps(before, 10));
    CHECK(renumberSteps(before, 0));  // the ranks were started again before their first step
}

TEST_CASE("facts name the renumbered steps, and numbers of the script stay") {
    CHECK(renumbered(ScriptFacts{0, "step_counts", R"({"from_step":3,"backwards":3})", 7}, 10).facts ==
          R"({"from_step":13,"backwards":3})");
    CHECK(renumbered(ScriptFacts{0, "gradients", R"({"after_step":1,"cleared":true})", 7}, 10).facts ==
          R"({"after_step":11,"cleared":true})");
    CHECK(renumbered(ScriptFacts{0, "tensors", R"({"step": 4})", 7}, 10).facts == R"({"step": 4})");
    CHECK(renumbered(ScriptFacts{0, "gradients", R"({"after_step":"1"})", 7}, 10).facts == R"({"after_step":"1"})");
    CHECK(renumbered(ScriptFacts{0, "gradients", "[", 7}, 10).facts == "[");
    LoggedScalar logged;
    logged.step = 5;
    CHECK(renumbered(logged, 10).step == 5);
}

TEST_CASE("an epoch that is begun again after a restart has only the losses of the new attempt") {
    EpochResults results(1);
    CHECK(results.add(steps(0, {1, 2}, {100, 100})).empty());
    results.beginAttempt();
    CHECK(results.add(steps(0, {3, 4}, {1, 3})).empty());
    const auto first = results.add(steps(1, {5}, {7}));
    REQUIRE(first.size() == 1);
    CHECK(first[0].loss == 2);
    CHECK(first[0].samples == 2);
    CHECK(first[0].step == 4);
    results.beginAttempt();
    // Epoch 0 is not over after the restart, although it was over before.
    CHECK(results.add(steps(0, {6}, {5})).empty());
    CHECK(results.finish()[0].loss == 5);
}

TEST_CASE("samples and epochs that are trained again after a restart are recorded, steps are not") {
    RepeatFilter filter;
    ConsumedIndices indices;
    indices.index = {5, 6};
    const EpochResult epoch;
    const StepsFrame frame = steps(0, {1}, {1});
    for (const Event& event : {Event(indices), Event(epoch), Event(frame)}) CHECK_FALSE(filter.isRepeated(event));
    for (const Event& event : {Event(indices), Event(epoch), Event(frame)}) CHECK(filter.isRepeated(event));
    filter.acceptRepeatedEpochs();
    CHECK_FALSE(filter.isRepeated(indices));
    CHECK_FALSE(filter.isRepeated(epoch));
    CHECK(filter.isRepeated(frame));
}
