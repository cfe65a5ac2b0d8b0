// SPDX-License-Identifier: Apache-2.0
#include "run/record/repeat_filter.h"

#include "support/catch.h"

using namespace ringside;

namespace {

StepsFrame frameOf(int rank, std::int64_t first, std::int64_t last) {
    StepsFrame frame;
    frame.rank = rank;
    for (std::int64_t step = first; step <= last; ++step) {
        frame.step.push_back(step);
        frame.loss.push_back(static_cast<double>(step));
        frame.samples.push_back(32);
        frame.endUs.push_back(1000 * step);
    }
    return frame;
}

}  // namespace

TEST_CASE("repeated steps of a rank are removed, and steps of another rank are kept") {
    RepeatFilter filter;
    CHECK_FALSE(filter.withoutRepeats(frameOf(0, 1, 6)).has_value());
    CHECK_FALSE(filter.isRepeated(frameOf(0, 1, 6)));
    CHECK(filter.isRepeated(frameOf(0, 4, 5)));
    CHECK(filter.isRepeated(frameOf(0, 5, 6)));
    const std::optional<StepsFrame> rest = filter.withoutRepeats(frameOf(0, 5, 9));
    REQUIRE(rest.has_value());
    CHECK(rest->step == std::vector<std::int64_t>{7, 8, 9});
    CHECK(rest->loss == std::vector<double>{7, 8, 9});
    CHECK(rest->endUs == std::vector<std::int64_t>{7000, 8000, 9000});
    CHECK_FALSE(filter.isRepeated(*rest));
    CHECK(filter.isRepeated(frameOf(0, 9, 9)));
    CHECK_FALSE(filter.isRepeated(frameOf(1, 4, 5)));
}

TEST_CASE("results and checks of an epoch count once for each split and rank") {
    RepeatFilter filter;
    EpochResult train;
    train.epoch = 3;
    train.split = SplitKind::kTrain;
    CHECK_FALSE(filter.isRepeated(train));
    CHECK(filter.isRepeated(train));
    EpochResult validation = train;
    validation.split = SplitKind::kValidation;
    CHECK_FALSE(filter.isRepeated(validation));
    train.epoch = 4;
    CHECK_FALSE(filter.isRepeated(train));
    CHECK_FALSE(filter.isRepeated(Consumed{0, 3, 10, "a"}));
    CHECK(filter.isRepeated(Consumed{0, 3, 10, "a"}));
    CHECK_FALSE(filter.isRepeated(Consumed{1, 3, 10, "a"}));
    CHECK_FALSE(filter.isRepeated(LogLine{0, LogLevel::kInfo, "the same words may come twice", 1}));
    CHECK_FALSE(filter.isRepeated(LogLine{0, LogLevel::kInfo, "the same words may come twice", 2}));
}

TEST_CASE("repeated samples of a rank are removed") {
    RepeatFilter filter;
    CHECK_FALSE(filter.isRepeated(ConsumedIndices{0, 0, 1, 0, {5, 6}}));
    CHECK_FALSE(filter.isRepeated(ConsumedIndices{0, 0, 2, 2, {7, 8}}));
    CHECK(filter.isRepeated(ConsumedIndices{0, 0, 2, 2, {7, 8}}));
    CHECK_FALSE(filter.isRepeated(ConsumedIndices{0, 1, 3, 0, {1, 2}}));
}

TEST_CASE("each loader of a watched script has its own indices") {
    RepeatFilter filter;
    const auto indices = [](std::int64_t epoch, std::int64_t slot, std::int64_t loader) {
        ConsumedIndices one;
        one.epoch = epoch;
        one.slot = slot;
        one.index = {7, 8};
        one.loader = loader;
        return one;
    };
    CHECK_FALSE(filter.isRepeated(indices(1, 4, 0)));
    CHECK_FALSE(filter.isRepeated(indices(0, 0, 1)));
    CHECK_FALSE(filter.isRepeated(indices(0, 2, 1)));
    CHECK(filter.isRepeated(indices(0, 2, 1)));
    CHECK(filter.isRepeated(indices(0, 8, 0)));
}
