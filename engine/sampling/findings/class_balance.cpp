// SPDX-License-Identifier: Apache-2.0
#include "sampling/findings/class_balance.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

namespace ringside {
namespace {

constexpr std::int64_t kSlotsPerLook = std::int64_t{1} << 16;  // number of samples that are counted between two checks
                                                               // of the stop flag
constexpr double kNormalOneSided95 = 1.6448536269514722;
constexpr double kOutsideShare = 0.05;

// Mapping from the index of a sample to its class. Labels beyond the last class count as the last class.
class ClassOf {
  public:
    ClassOf(std::span<const std::uint16_t> labels, int classes) : m_labels(labels), m_classes(classes) {}
    int operator()(std::int64_t sample) const {
        return std::min<int>(m_labels[static_cast<std::size_t>(sample)], m_classes - 1);
    }
    std::vector<std::int64_t> sizes(std::int64_t samples) const {
        std::vector<std::int64_t> result(static_cast<std::size_t>(m_classes));
        for (std::int64_t sample = 0; sample < samples; ++sample) ++result[static_cast<std::size_t>((*this)(sample))];
        return result;
    }

  private:
    std::span<const std::uint16_t> m_labels;
    int m_classes;
};

// Cache of the number of classes that are expected outside their bands (ChanceBand) in a random draw. The key is the
// number of samples drawn, which is equal for most ranks and steps.
class ExpectedOutside {
  public:
    ExpectedOutside(std::int64_t samples, std::span<const std::int64_t> classSizes)
        : m_samples(samples), m_classSizes(classSizes) {}
    double of(std::int64_t drawn) {
        const auto [known, isNew] = m_known.try_emplace(drawn, 0.0);
        if (isNew)
            for (const std::int64_t ofClass : m_classSizes)
                known->second += probabilityOutsideBand(m_samples, ofClass, drawn);
        return known->second;
    }

  private:
    std::int64_t m_samples;
    std::span<const std::int64_t> m_classSizes;
    std::map<std::int64_t, double> m_known;
};

}  // namespace

// Returns the sum of (count - expected)^2 / (expected * f) over the classes, with f = (n - drawn) / (n - 1) for `drawn`
// of n samples. The code uses variance = expected * (1 - share) * f.
double ClassBalance::distance(int rank) const {
    double expectedSum = 0, sum = 0;
    for (int label = 0; label < classes; ++label) expectedSum += band(rank, label).expected;
    for (int label = 0; label < classes; ++label) {
        const ChanceBand& chance = band(rank, label);
        const double off = static_cast<double>(count(rank, label)) - chance.expected;
        if (chance.variance > 0) sum += off * off / chance.variance * (1 - chance.expected / expectedSum);
    }
    return sum;
}

// Returns the 95 % point of the chi-square distribution with classes - 1 degrees of freedom (Wilson and Hilferty's
// approximation).
double ClassBalance::distanceLimit() const {
    const double freedom = std::max(1, classes - 1);
    const double part = 2 / (9 * freedom);
    return freedom * std::pow(1 - part + kNormalOneSided95 * std::sqrt(part), 3);
}

int ClassBalance::ranksWithinChance() const {
    int within = 0;
    for (int rank = 0; rank < ranks; ++rank) within += isWithinLimit(rank) ? 1 : 0;
    return within;
}

int ClassBalance::expectedRanksOutside() const {
    // Probability that exactly `outside` ranks are above distanceLimit(); `outside` is 0 before the loop.
    double probability = std::pow(1 - kOutsideShare, ranks);
    double sum = probability;
    int outside = 0;
    for (; outside < ranks && sum < 1 - kOutsideShare; sum += probability) {
        ++outside;
        probability *= kOutsideShare / (1 - kOutsideShare) * (ranks - outside + 1) / outside;
    }
    return outside;
}

int ClassBalance::countsOutsideBands() const {
    int found = 0;
    for (int rank = 0; rank < ranks; ++rank) {
        for (int label = 0; label < classes; ++label) found += outside(rank, label) ? 1 : 0;
    }
    return found;
}

double ClassBalance::expectedOutside() const {
    return std::accumulate(outsideByChance.begin(), outsideByChance.end(), 0.0);
}

std::int64_t BatchBalance::countsOutsideBands() const {
    std::int64_t found = 0;
    for (std::int64_t step = 0; step < steps; ++step)
        for (int label = 0; label < classes; ++label) found += isOutside(count(step, label), band(step, label)) ? 1 : 0;
    return found;
}

double BatchBalance::expectedOutside() const {
    ExpectedOutside expected(datasetSize, classSizes);
    double sum = 0;
    for (const std::int64_t drawn : sizes) sum += expected.of(drawn);
    return sum;
}

ClassBalance classBalance(const ShardPlan& plan, std::span<const std::uint16_t> labels, std::vector<std::string> names,
                          const std::atomic<bool>* stop) {
    ClassBalance balance;
    balance.ranks = static_cast<int>(plan.spec().worldSize);
    balance.classes = static_cast<int>(names.size());
    balance.names = std::move(names);
    const std::size_t cells = static_cast<std::size_t>(balance.ranks) * balance.names.size();
    balance.counts.resize(cells);
    balance.bands.resize(cells);
    const std::int64_t n = plan.spec().datasetSize;
    const ClassOf classOf(labels, balance.classes);
    balance.classSizes = classOf.sizes(n);
    ExpectedOutside expected(n, balance.classSizes);
    for (int rank = 0; rank < balance.ranks; ++rank) {
        for (std::int64_t slot = 0; slot < plan.trainedOf(rank); ++slot) {
            if (stop && slot % kSlotsPerLook == 0 && *stop) return balance;
            ++balance.counts[balance.cellIndex(rank, classOf(plan.index(rank, slot)))];
        }
        balance.outsideByChance.push_back(expected.of(plan.trainedOf(rank)));
        for (int label = 0; label < balance.classes; ++label) {
            balance.bands[balance.cellIndex(rank, label)] =
                chanceBand(n, balance.classSizes[static_cast<std::size_t>(label)], plan.trainedOf(rank));
        }
    }
    return balance;
}

BatchBalance batchBalance(const ShardPlan& plan, std::span<const std::uint16_t> labels, std::vector<std::string> names,
                          const std::atomic<bool>* stop) {
    BatchBalance balance;
    balance.classes = static_cast<int>(names.size());
    balance.names = std::move(names);
    balance.stepsOfEpoch = plan.stepsPerEpoch();
    balance.steps = std::min(balance.stepsOfEpoch, BatchBalance::kMaxCounts / std::max(1, balance.classes));
    balance.datasetSize = plan.spec().datasetSize;
    balance.counts.resize(static_cast<std::size_t>(balance.steps * balance.classes));
    balance.sizes.resize(static_cast<std::size_t>(balance.steps));
    const ClassOf classOf(labels, balance.classes);
    balance.classSizes = classOf.sizes(balance.datasetSize);
    for (std::int64_t step = 0; step < balance.steps && !(stop && *stop); ++step) {
        for (int rank = 0; rank < plan.spec().worldSize; ++rank) {
            const SlotRange batch = plan.batch(rank, step);
            balance.sizes[static_cast<std::size_t>(step)] += batch.count;
            for (std::int64_t slot = batch.first; slot < batch.first + batch.count; ++slot) {
                const std::int64_t at = step * balance.classes + classOf(plan.index(rank, slot));
                ++balance.counts[static_cast<std::size_t>(at)];
            }
        }
    }
    return balance;
}

}  // namespace ringside
