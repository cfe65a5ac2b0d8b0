// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "data/sets/synthetic/synthetic_dataset.h"
#include "data/sets/synthetic/synthetic_shapes.h"
#include "sampling/random/torch_random.h"

namespace ringside {
namespace {

constexpr float kCentreDeviation = 3;
constexpr float kArmNoise = 0.03F;
constexpr int kSamplesBetweenChecks = 1 << 16;  // samples between checks of the stop token
constexpr double kTurns = 1.5;
constexpr double kLargestToSmallest = 100;

void nameClasses(SampleTable& table, std::int64_t classes) {
    for (std::int64_t k = 0; k < classes; ++k) table.classNames.push_back(std::to_string(k));
}

void addBlobs(SampleTable& table, const DatasetConfig& config, const std::stop_token& stop) {
    TorchGenerator generator(config.seed);
    const auto width = static_cast<std::size_t>(config.features);
    std::vector<float> centres(static_cast<std::size_t>(config.classes) * width);
    generator.normal(centres);
    growTo(table.features, config.size * config.features, stop);
    generator.normal(table.features, stop);
    for (std::size_t i = 0; i < table.labels.size(); ++i) {
        if (i % kSamplesBetweenChecks == 0 && stop.stop_requested()) return;
        const float* centre = centres.data() + static_cast<std::size_t>(table.labels[i]) * width;
        for (std::size_t k = 0; k < width; ++k) table.features[i * width + k] += kCentreDeviation * centre[k];
    }
}

void addSpirals(SampleTable& table, const DatasetConfig& config, const std::stop_token& stop) {
    growTo(table.features, config.size * 2, stop);
    TorchGenerator(config.seed).normal(table.features, stop);
    const std::int64_t perArm = (config.size + config.classes - 1) / config.classes;
    for (std::size_t i = 0; i < table.labels.size(); ++i) {
        if (i % kSamplesBetweenChecks == 0 && stop.stop_requested()) return;
        const std::int64_t turn = static_cast<std::int64_t>(i) / config.classes;  // index of the sample in its spiral
                                                                                  // arm
        const double radius = (static_cast<double>(turn) + 1) / static_cast<double>(perArm);
        const double start = static_cast<double>(table.labels[i]) / static_cast<double>(config.classes);
        const double angle = 2 * std::numbers::pi * (start + kTurns * radius);
        float* sample = table.features.data() + 2 * i;
        sample[0] = sample[0] * kArmNoise + static_cast<float>(radius * std::cos(angle));
        sample[1] = sample[1] * kArmNoise + static_cast<float>(radius * std::sin(angle));
    }
}

}  // namespace

std::vector<std::int64_t> imbalancedSizes(std::int64_t size, std::int64_t classes) {
    RINGSIDE_ASSERT(classes >= 1 && size >= classes);
    std::vector<double> shares;
    for (std::int64_t k = 0; k < classes; ++k) {
        const double place = classes == 1 ? 0 : static_cast<double>(k) / static_cast<double>(classes - 1);
        shares.push_back(std::pow(kLargestToSmallest, -place));
    }
    const double total = std::accumulate(shares.begin(), shares.end(), 0.0);
    std::vector<std::int64_t> sizes;
    for (const double share : shares) {
        sizes.push_back(1 + static_cast<std::int64_t>(share / total * static_cast<double>(size - classes)));
    }
    // The sizes were rounded down. The remaining samples are assigned to the first classes, one to each class.
    std::int64_t left = size - std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
    for (std::size_t k = 0; left > 0; k = (k + 1) % sizes.size(), --left) ++sizes[k];
    return sizes;
}

SampleTable makeClasses(const DatasetConfig& config, const std::stop_token& stop) {
    const bool spirals = config.shape == SyntheticShape::kSpirals;
    SampleTable table{.size = config.size, .shape = {.features = spirals ? 2 : config.features}};
    nameClasses(table, config.classes);
    if (config.shape == SyntheticShape::kImbalanced) {
        const std::vector<std::int64_t> sizes = imbalancedSizes(config.size, config.classes);
        for (std::size_t k = 0; k < sizes.size(); ++k) {
            table.labels.insert(table.labels.end(), static_cast<std::size_t>(sizes[k]), static_cast<std::int32_t>(k));
        }
    } else {
        for (std::int64_t i = 0; i < config.size; ++i) {
            if (i % kSamplesBetweenChecks == 0 && stop.stop_requested()) return table;
            table.labels.push_back(static_cast<std::int32_t>(i % config.classes));
        }
    }
    if (spirals) {
        addSpirals(table, config, stop);
    } else {
        addBlobs(table, config, stop);
    }
    return table;
}

}  // namespace ringside
