// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "shards/scene/shard_scene.h"

namespace ringside {

// What chance gives: a rank that draws `drawn` of n samples without putting back gets a hypergeometric number of a
// class.
struct ChanceBand {
    double expected = 0;
    double low = 0;  // 95 % of random deals lie between low and high (normal approximation)
    double high = 0;
    double variance = 0;
};

ChanceBand chanceBand(std::int64_t n, std::int64_t ofClass, std::int64_t drawn);

// How many samples of each class every rank trains in one epoch, duplicates included.
struct ClassBalance {
    int ranks = 0;
    int classes = 0;
    std::vector<std::int64_t> counts;     // rank-major
    std::vector<ChanceBand> bands;        // per class; the same for every rank
    std::vector<std::string> names = {};  // of the classes

    std::size_t cell(int rank, int label) const {
        return static_cast<std::size_t>(rank) * static_cast<std::size_t>(classes) + static_cast<std::size_t>(label);
    }
    std::int64_t count(int rank, int label) const { return counts[cell(rank, label)]; }
    bool outside(int rank, int label) const;
    int outsideCount() const;
    double expectedOutside() const { return 0.05 * ranks * classes; }

    // How far a rank is from a random deal over all its classes together: Pearson's sum, corrected for drawing without
    // putting back. 95 % of random deals stay below the limit.
    double distance(int rank) const;
    double distanceLimit() const;
    bool withinChance(int rank) const { return distance(rank) <= distanceLimit(); }
    int ranksWithinChance() const;
};

std::vector<std::string> classNames(const Dataset& data);

// Empty (no classes) when the scene has no labels.
// When *stop is set, it soon comes back half counted.
ClassBalance classBalance(const ShardScene& scene, const std::atomic<bool>* stop = nullptr);

}  // namespace ringside
