// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/errors/result.h"
#include "config/run_config.h"
#include "data/sets/common/dataset.h"

namespace ringside {

// What torchvision's Normalize(mean, std) is given, one of each for a channel; empty: off.
struct ChannelScale {
    std::vector<float> mean;
    std::vector<float> deviation;
};

// Where RandomCrop cut a sample out of its padded image, and whether it is mirrored afterwards.
struct CropAndFlip {
    std::int64_t top = 0;  // 0 .. 2 * padding; `padding` is the middle
    std::int64_t left = 0;
    bool flip = false;
    bool operator==(const CropAndFlip&) const = default;
};

// The same for a sample whoever loads it, in whichever batch, on whichever rank. With mix(x) the output function of
// SplitMix64 (Steele, Lea, Flood 2014) after x + 0x9e3779b97f4a7c15, all modulo 2^64:
//   key = mix(mix(mix(seed) + epoch) + index);  top = (key >> 32) * (2 padding + 1) >> 32
//   left = (key & 0xffffffff) * (2 padding + 1) >> 32;  flip = mix(key) >> 63
CropAndFlip drawCropAndFlip(std::int64_t seed, std::int64_t epoch, std::int64_t index, std::int64_t padding);

// RandomCrop(size, padding), RandomHorizontalFlip(0.5) and Normalize, in torchvision's order; an image stays as large
// as it was. Any thread may apply them.
class SampleTransforms {
  public:
    SampleTransforms() = default;  // none
    // Of the training samples with `random`, else without crop and flip. The options fit the shape.
    SampleTransforms(const LoaderConfig& options, const SampleShape& shape, std::int64_t seed, bool random);

    void setScale(ChannelScale scale) { m_scale = std::move(scale); }
    bool cropsOrFlips() const { return m_padding > 0 || m_flips; }

    // from and to are samples of the data set's shape, apart from one another.
    void cropAndFlip(std::span<const float> from, std::span<float> to, std::int64_t epoch, std::int64_t index) const;
    // (value - mean) / deviation; nothing without a scale.
    void normalize(std::span<float> sample) const {
        if (!m_scale.mean.empty()) applyScale(sample);
    }

  private:
    void applyScale(std::span<float> sample) const;

    SampleShape m_shape;
    std::int64_t m_seed = 0;
    std::int64_t m_padding = 0;
    bool m_flips = false;
    ChannelScale m_scale;
};

// Why the transforms that are asked for cannot be done with such samples.
Problems transformProblems(const LoaderConfig& config, const SampleShape& shape);

}  // namespace ringside
