// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ringside {

enum class SweptLayer {
    kConvolution,
    kLinear,
    kBatchNorm,
    kMaxPool,
    kAveragePool,
    kGelu,
    kLayerNorm,
    kAttention,
    kEmbedding
};

// One layer of one size. Members that have no meaning for a kind of layer keep their defaults.
struct SweepCase {
    SweptLayer layer = SweptLayer::kConvolution;
    std::int64_t channels = 1;
    std::int64_t outChannels = 1;
    std::int64_t kernel = 1;
    std::int64_t stride = 1;
    std::int64_t padding = 0;
    std::int64_t size = 1;  // height of images, or number of positions; an odd image is one pixel less wide than high
    std::int64_t batch = 1;
    bool bias = true;
    bool blocks = false;  // true: images are stored in blocks of channels

    std::int64_t width() const { return size > 2 ? size - size % 2 : size; }
    std::string text() const;  // "Conv2d(4, 8, kernel 1, stride 2, padding 0) on 2 images of 9 x 8"
};

// Returns all cases of the long sweep, or the few hundred cases of the short one, which include every boundary at which
// a fault was ever found.
std::vector<SweepCase> sweepCases(bool isShort);

}  // namespace ringside
