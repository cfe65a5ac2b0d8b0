// SPDX-License-Identifier: Apache-2.0
#include "data/loading/sample_transforms.h"

#include <algorithm>
#include <string>

namespace ringside {
namespace {

std::uint64_t mix(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15U;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31);
}

// Copies one row, shifted by `shift` pixels. Pixels outside the image become 0.
void cropRow(std::span<const float> from, std::span<float> to, std::int64_t shift) {
    const auto width = static_cast<std::int64_t>(to.size());
    const std::int64_t first = std::clamp<std::int64_t>(-shift, 0, width);
    const std::int64_t last = std::clamp<std::int64_t>(width - shift, first, width);
    std::fill_n(to.begin(), first, 0.0F);
    std::copy(from.begin() + first + shift, from.begin() + last + shift, to.begin() + first);
    std::fill(to.begin() + last, to.end(), 0.0F);
}

}  // namespace

CropAndFlip drawCropAndFlip(std::int64_t seed, std::int64_t epoch, std::int64_t index, std::int64_t padding) {
    const std::uint64_t key = mix(mix(mix(static_cast<std::uint64_t>(seed)) + static_cast<std::uint64_t>(epoch)) +
                                  static_cast<std::uint64_t>(index));
    const auto offsets = static_cast<std::uint64_t>(2 * padding + 1);
    return {.top = static_cast<std::int64_t>(((key >> 32) * offsets) >> 32),
            .left = static_cast<std::int64_t>(((key & 0xffffffffU) * offsets) >> 32),
            .flip = (mix(key) >> 63) != 0};
}

SampleTransforms::SampleTransforms(const LoaderConfig& options, const SampleShape& shape, std::int64_t seed,
                                   bool random)
    : m_shape(shape),
      m_seed(seed),
      m_padding(random ? options.randomCropPadding : 0),
      m_flips(random && options.horizontalFlip) {}

void SampleTransforms::cropAndFlip(std::span<const float> from, std::span<float> to, std::int64_t epoch,
                                   std::int64_t index) const {
    const CropAndFlip drawn = drawCropAndFlip(m_seed, epoch, index, m_padding);
    const auto width = static_cast<std::size_t>(m_shape.width);
    for (std::int64_t row = 0; row < m_shape.channels * m_shape.height; ++row) {
        const std::int64_t y = row % m_shape.height;
        const std::int64_t source = y + drawn.top - m_padding;
        const std::span<float> target = to.subspan(static_cast<std::size_t>(row) * width, width);
        if (source < 0 || source >= m_shape.height) {
            std::ranges::fill(target, 0.0F);
            continue;
        }
        cropRow(from.subspan(static_cast<std::size_t>(row - y + source) * width, width), target,
                drawn.left - m_padding);
        if (m_flips && drawn.flip) std::ranges::reverse(target);
    }
}

void SampleTransforms::applyScale(std::span<float> sample) const {
    const auto pixels = static_cast<std::size_t>(m_shape.height * m_shape.width);
    for (std::size_t channel = 0; channel < m_scale.mean.size(); ++channel) {
        const float mean = m_scale.mean[channel];
        const float deviation = m_scale.deviation[channel];
        for (float& value : sample.subspan(channel * pixels, pixels)) value = (value - mean) / deviation;
    }
}

Problems transformProblems(const LoaderConfig& config, const SampleShape& shape) {
    const std::int64_t padding = config.randomCropPadding;
    if (shape.isImage()) {
        const std::int64_t side = std::min(shape.height, shape.width);
        if (padding < side) return {};
        return {{"loader.random_crop_padding",
                 "is " + std::to_string(padding) + ", but the images are " + std::to_string(shape.height) + " x " +
                     std::to_string(shape.width) + ": a crop could contain no pixel of the image",
                 "choose at most " + std::to_string(side - 1)}};
    }
    const char* reason = "only images can be transformed, but the samples are rows of numbers";
    Problems problems;
    if (padding > 0)
        problems.push_back(
            {"loader.random_crop_padding", "is " + std::to_string(padding) + "; " + reason, "set it to 0"});
    if (config.horizontalFlip)
        problems.push_back({"loader.horizontal_flip", std::string("is true; ") + reason, "set it to false"});
    if (config.normalize)
        problems.push_back({"loader.normalize", std::string("is true; ") + reason, "set it to false"});
    return problems;
}

}  // namespace ringside
