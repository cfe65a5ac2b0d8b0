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

// One layer in one size. What does not matter for a kind stays as it is.
struct SweepCase {
    SweptLayer layer = SweptLayer::kConvolution;
    std::int64_t channels = 1;
    std::int64_t outChannels = 1;
    std::int64_t kernel = 1;
    std::int64_t stride = 1;
    std::int64_t padding = 0;
    std::int64_t size = 1;  // height, or positions; odd images are one less wide
    std::int64_t batch = 1;
    bool bias = true;
    bool blocks = false;  // images in blocks of channels

    std::int64_t width() const { return size > 2 ? size - size % 2 : size; }
    std::string text() const;  // "Conv2d(4, 8, kernel 1, stride 2, padding 0) on 2 images of 9 x 8"
};

// All that the long sweep tries, or the short one's few hundred, which meet every boundary that was ever found wrong.
std::vector<SweepCase> sweepCases(bool isShort);

}  // namespace ringside
