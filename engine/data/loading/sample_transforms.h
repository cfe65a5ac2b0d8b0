// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/errors/result.h"
#include "config/run_config.h"
#include "data/sets/common/dataset.h"

namespace ringside {

// Arguments of torchvision's Normalize(mean, std), one value per channel. Empty: no normalization.
struct ChannelScale {
    std::vector<float> mean;
    std::vector<float> deviation;
};

// Random choices for one sample: the position in pixels at which RandomCrop cuts the sample out of its padded image,
// and whether it is flipped.
struct CropAndFlip {
    std::int64_t top = 0;  // 0 to 2 * padding; if it equals `padding`, the image is not shifted
    std::int64_t left = 0;
    bool flip = false;
    bool operator==(const CropAndFlip&) const = default;
};

// Draws the crop and flip of a sample. The result depends on the arguments only, not on the thread, batch or rank. With
// mix(x) the output function of SplitMix64 (Steele, Lea, Flood 2014) after x + 0x9e3779b97f4a7c15, modulo 2^64:
//   key = mix(mix(mix(seed) + epoch) + index);  top = (key >> 32) * (2 padding + 1) >> 32
//   left = (key & 0xffffffff) * (2 padding + 1) >> 32;  flip = mix(key) >> 63
CropAndFlip drawCropAndFlip(std::int64_t seed, std::int64_t epoch, std::int64_t index, std::int64_t padding);

// Applies RandomCrop(size, padding), RandomHorizontalFlip(0.5) and Normalize, in torchvision's order. The size of an
// image does not change. Const methods are callable from any thread.
class SampleTransforms {
  public:
    SampleTransforms() = default;  // applies no transform
    // If `random` is true, as for training samples, crops and flips as set in the options. The options must be allowed
    // for the shape (see transformProblems()).
    SampleTransforms(const LoaderConfig& options, const SampleShape& shape, std::int64_t seed, bool random);

    void setScale(ChannelScale scale) { m_scale = std::move(scale); }
    bool cropsOrFlips() const { return m_padding > 0 || m_flips; }

    // Crops and flips the sample `from` and writes the result to `to`. Both have the data set's shape and must not
    // overlap.
    void cropAndFlip(std::span<const float> from, std::span<float> to, std::int64_t epoch, std::int64_t index) const;
    // Replaces each value by (value - mean) / deviation of its channel. Does nothing if no scale is set.
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

// Returns a problem for each configured transform that samples of this shape do not support.
Problems transformProblems(const LoaderConfig& config, const SampleShape& shape);

}  // namespace ringside
