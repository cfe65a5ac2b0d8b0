// SPDX-License-Identifier: Apache-2.0
#include "data/standardize.h"

#include <cmath>

namespace ringside {
namespace {

// Two passes in double: the sum of squares alone would lose digits when the mean is large.
FeatureScale scaleOf(const SampleTable& table, std::span<const std::uint32_t> rows, std::size_t column) {
    const auto width = static_cast<std::size_t>(table.shape.features);
    const auto count = static_cast<double>(rows.size());
    double sum = 0;
    for (const std::uint32_t row : rows) sum += table.features[row * width + column];
    FeatureScale scale{.mean = sum / count};
    double squares = 0;
    for (const std::uint32_t row : rows) {
        const double distance = table.features[row * width + column] - scale.mean;
        squares += distance * distance;
    }
    const double deviation = std::sqrt(squares / count);
    // Rounding leaves a constant column a deviation of about 1e-16 of its mean.
    if (deviation > 1e-12 * std::abs(scale.mean)) scale.deviation = deviation;
    return scale;
}

}  // namespace

Result<std::int64_t> fillMissing(SampleTable& table, std::span<const std::uint32_t> rows, const std::string& what) {
    const auto width = static_cast<std::size_t>(table.shape.features);
    std::int64_t filled = 0;
    for (std::size_t column = 0; column < width; ++column) {
        double sum = 0;
        std::size_t known = 0;
        for (const std::uint32_t row : rows) {
            const float value = table.features[row * width + column];
            if (std::isnan(value)) continue;
            sum += value;
            ++known;
        }
        const auto mean = static_cast<float>(sum / static_cast<double>(known));
        for (std::size_t at = column; at < table.features.size(); at += width) {
            if (!std::isnan(table.features[at])) continue;
            if (known == 0)
                return Problem{what,
                               "has no value of feature " + std::to_string(column) +
                                   " (counted from 0, without the label) in any row that trains",
                               "remove that column from the file"};
            table.features[at] = mean;
            ++filled;
        }
    }
    return filled;
}

void standardize(SampleTable& table, std::span<const std::uint32_t> rows) {
    if (rows.empty()) return;
    const auto width = static_cast<std::size_t>(table.shape.features);
    for (std::size_t column = 0; column < width; ++column) {
        const FeatureScale scale = scaleOf(table, rows, column);
        table.scales.push_back(scale);
        for (std::size_t at = column; at < table.features.size(); at += width) {
            table.features[at] = static_cast<float>((table.features[at] - scale.mean) / scale.deviation);
        }
    }
}

}  // namespace ringside
