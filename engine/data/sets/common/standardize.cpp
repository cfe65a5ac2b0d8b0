// SPDX-License-Identifier: Apache-2.0
#include "data/sets/common/standardize.h"

#include <cmath>

#include "data/readers/byte_source.h"

namespace ringside {
namespace {

constexpr std::size_t kScaledBetweenChecks = std::size_t{1} << 16;  // rows between checks of the stop token

// Calls visit(value) with one feature of each row in order. Returns false if it was stopped.
template <class Visit>
bool eachOf(const SampleTable& table, std::span<const std::uint32_t> rows, std::size_t column,
            const std::stop_token& stop, Visit visit) {
    const auto width = static_cast<std::size_t>(table.shape.features);
    for (std::size_t at = 0; at < rows.size(); ++at) {
        if (at % kScaledBetweenChecks == 0 && stop.stop_requested()) return false;
        visit(table.features[rows[at] * width + column]);
    }
    return true;
}

// Calls change(value) with one feature of every row of the table. Returns false if it was stopped.
template <class Change>
bool changeEach(SampleTable& table, std::size_t column, const std::stop_token& stop, Change change) {
    const auto width = static_cast<std::size_t>(table.shape.features);
    std::size_t row = 0;
    for (std::size_t at = column; at < table.features.size(); at += width, ++row) {
        if (row % kScaledBetweenChecks == 0 && stop.stop_requested()) return false;
        change(table.features[at]);
    }
    return true;
}

// Computes mean and deviation in two passes in double: a single pass over squares loses digits if the mean is large.
FeatureScale scaleOf(const SampleTable& table, std::span<const std::uint32_t> rows, std::size_t column,
                     const std::stop_token& stop) {
    const auto count = static_cast<double>(rows.size());
    double sum = 0;
    eachOf(table, rows, column, stop, [&](float value) { sum += value; });
    FeatureScale scale{.mean = sum / count};
    double squares = 0;
    eachOf(table, rows, column, stop, [&](float value) {
        const double distance = value - scale.mean;
        squares += distance * distance;
    });
    const double deviation = std::sqrt(squares / count);
    // Treats tiny deviations as 0, because rounding errors give a constant column a deviation of about 1e-16 times its
    // mean.
    if (deviation > 1e-12 * std::abs(scale.mean)) scale.deviation = deviation;
    return scale;
}

}  // namespace

Result<std::int64_t> fillMissing(SampleTable& table, std::span<const std::uint32_t> rows, const std::string& what,
                                 const std::stop_token& stop) {
    const auto width = static_cast<std::size_t>(table.shape.features);
    std::int64_t filled = 0;
    for (std::size_t column = 0; column < width; ++column) {
        double sum = 0;
        std::size_t known = 0;
        const bool summed = eachOf(table, rows, column, stop, [&](float value) {
            if (std::isnan(value)) return;
            sum += value;
            ++known;
        });
        if (!summed) return stoppedReading(what);
        const auto mean = static_cast<float>(sum / static_cast<double>(known));
        const std::int64_t before = filled;
        const bool changed = changeEach(table, column, stop, [&](float& value) {
            if (!std::isnan(value)) return;
            value = mean;
            ++filled;
        });
        if (!changed) return stoppedReading(what);
        if (known == 0 && filled > before)
            return Problem{what,
                           "has no value of feature " + std::to_string(column) +
                               " (counted from 0, without the label) in any training row",
                           "remove that column from the file"};
    }
    return filled;
}

void standardize(SampleTable& table, std::span<const std::uint32_t> rows, const std::stop_token& stop) {
    if (rows.empty()) return;
    const auto width = static_cast<std::size_t>(table.shape.features);
    for (std::size_t column = 0; column < width && !stop.stop_requested(); ++column) {
        const FeatureScale scale = scaleOf(table, rows, column, stop);
        table.scales.push_back(scale);
        changeEach(table, column, stop,
                   [&](float& value) { value = static_cast<float>((value - scale.mean) / scale.deviation); });
    }
}

}  // namespace ringside
