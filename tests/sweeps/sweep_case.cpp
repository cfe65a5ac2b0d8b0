// SPDX-License-Identifier: Apache-2.0
#include "sweeps/sweep_case.h"

#include <array>

#include "backend/convolution.h"

namespace ringside {

namespace {

using Cases = std::vector<SweepCase>;
using Values = std::vector<std::int64_t>;

const char* nameOf(SweptLayer layer) {
    constexpr std::array kNames{"Conv2d", "Linear",    "BatchNorm2d", "MaxPool2d", "AveragePool",
                                "GELU",   "LayerNorm", "Attention",   "Embedding"};
    return kNames[static_cast<std::size_t>(layer)];
}

Values upTo(std::int64_t last) {
    Values values;
    for (std::int64_t value = 1; value <= last; ++value) values.push_back(value);
    return values;
}

struct Ranges {
    Values channels, outChannels, kernels, strides, sizes, batches;
};

// Returns the ranges of sizes: channels of a model's input, of narrow layers, and numbers at and next to blocks of 8
// and 16.
Ranges rangesOf(bool isShort) {
    if (isShort) return {{1, 4, 8, 17}, {4, 8, 16}, {1, 3}, {1, 2}, {5, 8}, {3}};
    return {upTo(17), {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17}, {1, 2, 3, 5}, {1, 2, 3}, {5, 6, 8, 9, 17},
            {1, 2, 5}};
}

void addConvolutions(const Ranges& r, Cases& cases) {
    for (const auto kernel : r.kernels)
        for (const auto stride : r.strides)
            for (const auto size : r.sizes)
                for (const auto batch : r.batches)
                    for (const auto channels : r.channels)
                        for (const auto out : r.outChannels) {
                            SweepCase one{
                                SweptLayer::kConvolution, channels, out, kernel, stride, kernel / 2, size, batch, true};
                            cases.push_back(one);
                            one.bias = false;
                            cases.push_back(one);
                            if (out % kChannelBlock != 0) continue;
                            one.bias = one.blocks = true;
                            cases.push_back(one);
                        }
}

// Adds convolutions that are wide enough for Winograd's algorithm, with sizes that do not fill its tiles.
void addWide(bool isShort, Cases& cases) {
    const Values channels = isShort ? Values{32, 40} : Values{32, 40, 48, 64, 72};
    for (const auto in : channels)
        for (const auto out : channels)
            for (const auto size : isShort ? Values{9} : Values{8, 9, 10, 11, 16, 21})
                for (const auto batch : {1, 3})
                    for (const bool blocks : {false, true}) {
                        if (blocks && (in % kChannelBlock != 0 || out % kChannelBlock != 0)) continue;
                        cases.push_back({SweptLayer::kConvolution, in, out, 3, 1, 1, size, batch, !blocks, blocks});
                    }
}

void addOthers(const Ranges& r, Cases& cases) {
    for (const auto channels : r.channels)
        for (const auto size : r.sizes)
            for (const auto batch : r.batches) {
                for (const auto layer : {SweptLayer::kBatchNorm, SweptLayer::kAveragePool, SweptLayer::kGelu,
                                         SweptLayer::kLayerNorm, SweptLayer::kAttention, SweptLayer::kEmbedding})
                    cases.push_back({.layer = layer, .channels = channels, .size = size, .batch = batch});
                for (const auto out : r.outChannels)
                    cases.push_back({SweptLayer::kLinear, channels, out, 1, 1, 0, size, batch});
                for (const auto kernel : {2, 3})
                    cases.push_back({SweptLayer::kMaxPool, channels, channels, kernel, kernel, 0, size, batch});
            }
}

}  // namespace

std::string SweepCase::text() const {
    const auto number = [](std::int64_t value) { return std::to_string(value); };
    return std::string(nameOf(layer)) + "(" + number(channels) + ", " + number(outChannels) + ", kernel " +
           number(kernel) + ", stride " + number(stride) + ", padding " + number(padding) +
           (bias ? "" : ", without bias") + ") on " + number(batch) + " of " + number(size) + " x " + number(width()) +
           (blocks ? " in blocks of channels" : "");
}

std::vector<SweepCase> sweepCases(bool isShort) {
    Cases cases;
    addConvolutions(rangesOf(isShort), cases);
    addWide(isShort, cases);
    addOthers(rangesOf(isShort), cases);
    return cases;
}

}  // namespace ringside
