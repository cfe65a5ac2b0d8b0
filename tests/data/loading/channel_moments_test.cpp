// SPDX-License-Identifier: Apache-2.0
#include "data/loading/channel_moments.h"

#include <cmath>

#include "data/loading/numbered_images.h"
#include "data/sets/common/memory_dataset.h"
#include "support/catch.h"

using namespace ringside;
using namespace ringside::testing;

TEST_CASE("mean and deviation of consecutive numbers equal the closed formula") {
    // Channel c of sample i holds the 12 numbers from 24 i + 12 c: over 100 samples
    // mean = 24 * 99/2 + 12 c + 11/2, variance = 24^2 (100^2 - 1)/12 + (12^2 - 1)/12.
    const NumberedImages set(100, kSmallImage);
    const ChannelScale scale = channelScale(set);
    REQUIRE(scale.mean.size() == 2);
    const double deviation = std::sqrt(576.0 * 9999 / 12 + 143.0 / 12);
    for (std::size_t channel = 0; channel < 2; ++channel) {
        CHECK(scale.mean[channel] == static_cast<float>(1193.5 + 12 * static_cast<double>(channel)));
        CHECK(scale.deviation[channel] == static_cast<float>(deviation));
    }
}

TEST_CASE("a large mean does not cancel the deviation, and a constant channel has deviation 1") {
    SampleTable table{.size = 4, .shape = {.channels = 2, .height = 1, .width = 2, .features = 4}};
    for (const float value : {-1.0F, 1.0F, -1.0F, 1.0F})
        for (const float one : {4096 + value, 4096 - value, 0.3F, 0.3F}) table.features.push_back(one);
    table.labels = {0, 0, 0, 0};
    table.classNames = {"a"};
    const ChannelScale scale = channelScale(MemoryDataset(table));
    CHECK(scale.mean == std::vector<float>{4096, 0.3F});
    CHECK(scale.deviation == std::vector<float>{1, 1});
}

TEST_CASE("sums of chunks of different ranks are bit-identical") {
    const NumberedImages set(1000, kSmallImage);
    const ChannelScale whole = channelScale(set);
    for (const std::int64_t ranks : {2, 3, 7}) {
        ChannelMoments together(set);
        for (std::int64_t rank = 0; rank < ranks; ++rank) {
            ChannelMoments own(set);
            for (std::int64_t chunk = rank; chunk < ChannelMoments::kChunks; chunk += ranks) own.addChunk(chunk);
            for (std::size_t i = 0; i < own.values().size(); ++i) together.values()[i] += own.values()[i];
        }
        CHECK(together.scale().mean == whole.mean);
        CHECK(together.scale().deviation == whole.deviation);
    }
}

TEST_CASE("a large data set is measured on evenly spaced samples") {
    NumberedImages set(4 * ChannelMoments::kMaxSamples + 3, {.channels = 1, .height = 1, .width = 1, .features = 1});
    std::int64_t count = 0;
    std::int64_t last = 0;
    set.onLoad = [&](std::int64_t index) {
        ++count;
        last = index;
    };
    channelScale(set);
    CHECK(count == ChannelMoments::kMaxSamples);
    CHECK(last >= set.size() - 5);
}
