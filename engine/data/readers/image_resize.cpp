// SPDX-License-Identifier: Apache-2.0
#include "data/readers/image_resize.h"

#include <algorithm>
#include <cmath>

namespace ringside {
namespace {

constexpr int kWeightBits = 22;

// Weights of the input pixels that contribute to one output pixel, along one axis.
struct Taps {
    std::int64_t first = 0;
    std::vector<std::int32_t> weights = {};
};

// Rounds as Pillow's C cast does: adds one half and truncates towards zero. std::lround gives another result just below
// a half.
std::int64_t pillowRounded(double value) {
    return static_cast<std::int64_t>(value + 0.5);  // NOLINT(bugprone-incorrect-roundings)
}

std::vector<Taps> tapsFor(std::int64_t from, std::int64_t to) {
    const double scale = static_cast<double>(from) / static_cast<double>(to);
    const double support = std::max(scale, 1.0);
    std::vector<Taps> all(static_cast<std::size_t>(to));
    std::vector<double> weights;
    for (std::size_t out = 0; out < all.size(); ++out) {
        const double center = (static_cast<double>(out) + 0.5) * scale;
        Taps& taps = all[out];
        taps.first = std::max<std::int64_t>(pillowRounded(center - support), 0);
        const std::int64_t end = std::min(pillowRounded(center + support), from);
        weights.clear();
        double sum = 0;
        for (std::int64_t x = taps.first; x < end; ++x) {
            const double distance = std::abs((static_cast<double>(x) - center + 0.5) * (1.0 / support));
            weights.push_back(distance < 1 ? 1 - distance : 0);
            sum += weights.back();
        }
        for (const double weight : weights) {
            taps.weights.push_back(static_cast<std::int32_t>(pillowRounded(weight / sum * (1 << kWeightBits))));
        }
    }
    return all;
}

// Returns one output value: the weighted sum of every stride-th input byte, rounded and clamped.
std::uint8_t weighted(const std::uint8_t* in, std::size_t stride, const std::vector<std::int32_t>& weights) {
    std::int32_t sum = 1 << (kWeightBits - 1);
    for (std::size_t i = 0; i < weights.size(); ++i) sum += in[i * stride] * weights[i];
    return static_cast<std::uint8_t>(std::clamp(sum >> kWeightBits, 0, 255));
}

RgbImage withWidth(const RgbImage& image, std::int64_t width) {
    const std::vector<Taps> taps = tapsFor(image.width, width);
    RgbImage out{width, image.height};
    out.pixels.reserve(static_cast<std::size_t>(width * image.height * 3));
    for (std::int64_t y = 0; y < image.height; ++y) {
        for (const Taps& tap : taps) {
            const std::uint8_t* in = image.pixels.data() + (y * image.width + tap.first) * 3;
            for (int c = 0; c < 3; ++c) out.pixels.push_back(weighted(in + c, 3, tap.weights));
        }
    }
    return out;
}

RgbImage withHeight(const RgbImage& image, std::int64_t height) {
    const std::size_t row = static_cast<std::size_t>(image.width * 3);
    RgbImage out{image.width, height};
    out.pixels.reserve(row * static_cast<std::size_t>(height));
    for (const Taps& tap : tapsFor(image.height, height)) {
        const std::uint8_t* in = image.pixels.data() + static_cast<std::size_t>(tap.first) * row;
        for (std::size_t x = 0; x < row; ++x) out.pixels.push_back(weighted(in + x, row, tap.weights));
    }
    return out;
}

}  // namespace

RgbImage resized(const RgbImage& image, std::int64_t width, std::int64_t height) {
    RINGSIDE_ASSERT(image.width > 0 && image.height > 0 && width > 0 && height > 0);
    RgbImage out = width == image.width ? image : withWidth(image, width);
    return height == out.height ? out : withHeight(out, height);
}

}  // namespace ringside
