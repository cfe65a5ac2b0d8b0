// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/balance/class_balance.h"

#include <algorithm>
#include <cmath>

namespace ringside {
namespace {

constexpr std::int64_t kSlotsBetweenLooks = std::int64_t{1} << 16;  // at the stop flag
constexpr double kNormalOneSided95 = 1.6448536269514722;
constexpr double kNormal95 = 1.959963984540054;  // two-sided 95 % point of the normal distribution

}  // namespace

ChanceBand chanceBand(std::int64_t n, std::int64_t ofClass, std::int64_t drawn) {
    if (n < 1) {
        return {};
    }
    const auto total = static_cast<double>(n);
    const double share = static_cast<double>(ofClass) / total;
    const double taken = std::min(static_cast<double>(drawn), total);
    const double left = n > 1 ? (total - taken) / (total - 1) : 0;
    const double variance = taken * share * (1 - share) * left;
    const double spread = kNormal95 * std::sqrt(variance);
    const double expected = taken * share;
    return {expected, std::max(0.0, expected - spread), expected + spread, variance};
}

bool ClassBalance::outside(int rank, int label) const {
    const ChanceBand& band = bands[static_cast<std::size_t>(label)];
    const auto own = static_cast<double>(count(rank, label));
    return own < std::floor(band.low) || own > std::ceil(band.high);
}

// Sum of (count - expected)^2 / (expected * (n - drawn) / (n - 1)), where variance = expected * (1 - share) * the same.
double ClassBalance::distance(int rank) const {
    double expectedSum = 0, sum = 0;
    for (const ChanceBand& band : bands) expectedSum += band.expected;
    for (int label = 0; label < classes; ++label) {
        const ChanceBand& band = bands[static_cast<std::size_t>(label)];
        const double off = static_cast<double>(count(rank, label)) - band.expected;
        if (band.variance > 0) sum += off * off / band.variance * (1 - band.expected / expectedSum);
    }
    return sum;
}

// The 95 % point of the chi-square distribution with classes - 1 degrees of freedom (Wilson and Hilferty's
// approximation).
double ClassBalance::distanceLimit() const {
    const double freedom = std::max(1, classes - 1);
    const double part = 2 / (9 * freedom);
    return freedom * std::pow(1 - part + kNormalOneSided95 * std::sqrt(part), 3);
}

int ClassBalance::ranksWithinChance() const {
    int within = 0;
    for (int rank = 0; rank < ranks; ++rank) within += withinChance(rank) ? 1 : 0;
    return within;
}

int ClassBalance::outsideCount() const {
    int found = 0;
    for (int rank = 0; rank < ranks; ++rank) {
        for (int label = 0; label < classes; ++label) found += outside(rank, label) ? 1 : 0;
    }
    return found;
}

std::vector<std::string> classNames(const Dataset& data) {
    std::vector<std::string> names;
    for (std::int64_t label = 0; label < data.classCount(); ++label) names.push_back(data.className(label));
    return names;
}

ClassBalance classBalance(const ShardScene& scene, const std::atomic<bool>* stop) {
    ClassBalance balance;
    if (!scene.labels || !scene.data || scene.ranks() < 1) {
        return balance;
    }
    balance.ranks = scene.ranks();
    balance.classes = static_cast<int>(scene.data->classCount());
    balance.counts.resize(static_cast<std::size_t>(balance.ranks) * static_cast<std::size_t>(balance.classes));
    balance.names = classNames(*scene.data);
    const auto classOf = [&](std::int64_t sample) {
        return std::min<int>((*scene.labels)[static_cast<std::size_t>(sample)], balance.classes - 1);
    };
    for (int rank = 0; rank < balance.ranks; ++rank) {
        for (std::int64_t slot = 0; slot < scene.plan.trainedOf(rank); ++slot) {
            if (stop && slot % kSlotsBetweenLooks == 0 && *stop) return balance;
            const int label = classOf(scene.plan.index(rank, slot));
            ++balance.counts[balance.cell(rank, label)];
        }
    }
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(balance.classes));
    const std::int64_t n = scene.plan.spec().datasetSize;
    for (std::int64_t sample = 0; sample < n; ++sample) ++sizes[static_cast<std::size_t>(classOf(sample))];
    for (const std::int64_t size : sizes) {
        balance.bands.push_back(chanceBand(n, size, scene.trainedSlots()));
    }
    return balance;
}

}  // namespace ringside
