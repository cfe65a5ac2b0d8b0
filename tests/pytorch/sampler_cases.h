// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "base/json/json.h"
#include "sampling/plan/shard_plan.h"

namespace ringside::testing {

inline Json questionFor(const ShardSpec& spec) {
    return {{"ask", "distributed"},       {"n", spec.datasetSize},   {"world", spec.worldSize},
            {"epoch", spec.epoch},        {"seed", spec.seed},       {"shuffle", spec.shuffle},
            {"drop_last", spec.dropLast}, {"batch", spec.batchSize}, {"loader_drop_last", spec.loaderDropLast}};
}

// Returns test cases with every combination of data set size and world size. The other values are drawn with a fixed
// seed, so that each value occurs with many others. The cases include sizes below the world size, padding beyond the
// size, and the limits of seeds.
inline std::vector<ShardSpec> samplerCases() {
    constexpr std::int64_t kSizes[] = {0, 1, 2, 3, 5, 10, 17, 64, 100, 257, 1437};
    constexpr std::int64_t kWorlds[] = {1, 2, 3, 4, 7, 8, 16, 33};
    constexpr std::int64_t kSeeds[] = {0,          1,          42,         -1,        -12345,   4294967294,
                                       4294967295, 4294967296, 4294967303, INT64_MIN, INT64_MAX};
    constexpr std::int64_t kEpochs[] = {0, 1, 2, 7, 100, 9999, 10000};
    constexpr std::int64_t kBatches[] = {1, 2, 3, 8, 32, 1000};
    std::mt19937 random(20240501);
    const auto pick = [&](const auto& values) { return values[random() % std::size(values)]; };
    std::vector<ShardSpec> specs;
    for (const std::int64_t size : kSizes) {
        for (const std::int64_t world : kWorlds) {
            for (unsigned switches = 0; switches < 8; ++switches) {
                specs.push_back({.datasetSize = size,
                                 .worldSize = world,
                                 .epoch = pick(kEpochs),
                                 .seed = pick(kSeeds),
                                 .shuffle = (switches & 1U) == 0,
                                 .dropLast = (switches & 2U) != 0,
                                 .batchSize = pick(kBatches),
                                 .loaderDropLast = (switches & 4U) != 0});
            }
        }
    }
    return specs;
}

}  // namespace ringside::testing
