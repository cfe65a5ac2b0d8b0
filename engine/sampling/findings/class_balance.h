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

// Number of samples of each class that every rank trains in one epoch, duplicates included.
struct ClassBalance {
    int ranks = 0;
    int classes = 0;
    std::vector<std::int64_t> counts;  // number of samples of each class on each rank, ordered by rank, then by class
    std::vector<ChanceBand> bands;  // expected range of each entry of `counts`, in the same order; depends on the rank,
                                    // because an unpadded rank may have one sample less
    std::vector<std::string> names = {};        // names of the classes
    std::vector<std::int64_t> classSizes = {};  // number of samples of each class in the data set
    std::vector<double> outsideByChance =
        {};  // for each rank, number of classes that are expected outside their bands in a random assignment

    std::size_t cellIndex(int rank, int label) const {
        return static_cast<std::size_t>(rank) * static_cast<std::size_t>(classes) + static_cast<std::size_t>(label);
    }
    std::int64_t count(int rank, int label) const { return counts[cellIndex(rank, label)]; }
    const ChanceBand& band(int rank, int label) const { return bands[cellIndex(rank, label)]; }
    bool outside(int rank, int label) const { return isOutside(count(rank, label), band(rank, label)); }
    int countsOutsideBands() const;
    double expectedOutside() const;  // returns the expected value of countsOutsideBands() for a random assignment

    // Returns how far the class counts of a rank are from those of a random assignment: Pearson's chi-square statistic
    // over all classes, corrected for drawing without replacement. 95 % of random assignments stay below
    // distanceLimit().
    double distance(int rank) const;
    double distanceLimit() const;
    bool isWithinLimit(int rank) const { return distance(rank) <= distanceLimit(); }
    int ranksWithinChance() const;
    // Returns the largest usual number of ranks above distanceLimit(): in 95 % of random assignments, at most this many
    // ranks are above the limit, by the binomial distribution with p = 5 %.
    int expectedRanksOutside() const;
};

// Counts the classes of every rank. labels: class of every sample; a value beyond the last class counts as the last
// class. names: names of the classes. After *stop is set, returns early with incomplete counts.
ClassBalance classBalance(const ShardPlan& plan, std::span<const std::uint16_t> labels, std::vector<std::string> names,
                          const std::atomic<bool>* stop = nullptr);

// Number of samples of each class that every step trains on all ranks together, duplicates included.
struct BatchBalance {
    static constexpr std::int64_t kMaxCounts = 4'000'000;  // maximum size of `counts`; later steps are omitted

    std::int64_t steps = 0;  // number of steps in `counts`: the first ones of the epoch, limited by kMaxCounts
    std::int64_t stepsOfEpoch = 0;
    int classes = 0;
    std::vector<std::int32_t> counts;  // number of samples of each class in each step, ordered by step, then by class
    std::vector<std::int64_t> sizes;   // number of samples in the global batch of each step
    std::vector<std::int64_t> classSizes;  // number of samples of each class in the data set
    std::int64_t datasetSize = 0;
    std::vector<std::string> names = {};  // names of the classes

    std::int64_t count(std::int64_t step, int label) const {
        return counts[static_cast<std::size_t>(step * classes + label)];
    }
    ChanceBand band(std::int64_t step, int label) const {
        return chanceBand(datasetSize, classSizes[static_cast<std::size_t>(label)],
                          sizes[static_cast<std::size_t>(step)]);
    }
    std::int64_t countsOutsideBands() const;
    double expectedOutside() const;  // returns the expected value of countsOutsideBands() for a random assignment
};

// Counts the classes of every step. labels, names and stop: as for classBalance().
BatchBalance batchBalance(const ShardPlan& plan, std::span<const std::uint16_t> labels, std::vector<std::string> names,
                          const std::atomic<bool>* stop = nullptr);

}  // namespace ringside
