// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sampling/findings/chance_band.h"
#include "sampling/plan/shard_plan.h"

namespace ringside {

// How many samples of each class every rank trains in one epoch, duplicates included.
struct ClassBalance {
    int ranks = 0;
    int classes = 0;
    std::vector<std::int64_t> counts;           // rank-major
    std::vector<ChanceBand> bands;              // rank-major: an unpadded rank may draw one sample less
    std::vector<std::string> names = {};        // of the classes
    std::vector<std::int64_t> classSizes = {};  // in the data set
    std::vector<double> outsideByChance = {};   // by rank: expected number of classes outside their bands

    std::size_t cell(int rank, int label) const {
        return static_cast<std::size_t>(rank) * static_cast<std::size_t>(classes) + static_cast<std::size_t>(label);
    }
    std::int64_t count(int rank, int label) const { return counts[cell(rank, label)]; }
    const ChanceBand& band(int rank, int label) const { return bands[cell(rank, label)]; }
    bool outside(int rank, int label) const { return isOutside(count(rank, label), band(rank, label)); }
    int outsideCount() const;
    double expectedOutside() const;  // of outsideCount(), under a random assignment

    // How far a rank is from a random deal over all its classes together: Pearson's sum, corrected for drawing without
    // putting back. 95 % of random deals stay below the limit.
    double distance(int rank) const;
    double distanceLimit() const;
    bool withinChance(int rank) const { return distance(rank) <= distanceLimit(); }
    int ranksWithinChance() const;
    // The most ranks outside that 95 % of random deals stay within: of n ranks a binomial number with a share of 5 %.
    int ranksOutsideByChance() const;
};

// labels: the class of every sample; larger ones count as the last class. When *stop is set, it soon comes back half
// counted.
ClassBalance classBalance(const ShardPlan& plan, std::span<const std::uint16_t> labels, std::vector<std::string> names,
                          const std::atomic<bool>* stop = nullptr);

// How many samples of each class every step trains on all ranks together, duplicates included.
struct BatchBalance {
    static constexpr std::int64_t kMostCounts = 4'000'000;  // further steps are left out

    std::int64_t steps = 0;  // counted
    std::int64_t stepsOfEpoch = 0;
    int classes = 0;
    std::vector<std::int32_t> counts;      // step-major
    std::vector<std::int64_t> sizes;       // of every step's global batch
    std::vector<std::int64_t> classSizes;  // in the data set
    std::int64_t datasetSize = 0;
    std::vector<std::string> names = {};  // of the classes

    std::int64_t count(std::int64_t step, int label) const {
        return counts[static_cast<std::size_t>(step * classes + label)];
    }
    ChanceBand band(std::int64_t step, int label) const {
        return chanceBand(datasetSize, classSizes[static_cast<std::size_t>(label)],
                          sizes[static_cast<std::size_t>(step)]);
    }
    std::int64_t outsideCount() const;
    double expectedOutside() const;  // of outsideCount(), under a random assignment
};

BatchBalance batchBalance(const ShardPlan& plan, std::span<const std::uint16_t> labels, std::vector<std::string> names,
                          const std::atomic<bool>* stop = nullptr);

}  // namespace ringside
