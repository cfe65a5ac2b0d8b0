// SPDX-License-Identifier: Apache-2.0
#include "data/standardize.h"

#include <cmath>

namespace ringside {
namespace {

struct Scale {
    double mean = 0;
    double deviation = 1;
};

// Two passes in double: the sum of squares alone would lose digits when the mean is large.
Scale scaleOf(const SampleTable& table, std::span<const std::uint32_t> rows, std::size_t column) {
    const auto width = static_cast<std::size_t>(table.shape.features);
    const auto count = static_cast<double>(rows.size());
    double sum = 0;
    for (const std::uint32_t row : rows) sum += table.features[row * width + column];
    Scale scale{.mean = sum / count};
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

void standardize(SampleTable& table, std::span<const std::uint32_t> rows) {
    if (rows.empty()) return;
    const auto width = static_cast<std::size_t>(table.shape.features);
    for (std::size_t column = 0; column < width; ++column) {
        const Scale scale = scaleOf(table, rows, column);
        for (std::size_t at = column; at < table.features.size(); at += width) {
            table.features[at] = static_cast<float>((table.features[at] - scale.mean) / scale.deviation);
        }
    }
}

}  // namespace ringside
