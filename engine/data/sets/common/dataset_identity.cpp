// SPDX-License-Identifier: Apache-2.0
#include "data/sets/common/dataset_identity.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/crypto/sha256.h"
#include "data/sets/common/dataset.h"

namespace ringside {

std::string identityOf(const Dataset& data) {
    constexpr std::int64_t kMaxSamples = 64;
    const SampleShape shape = data.shape();
    Sha256 sum;
    const std::vector<std::int64_t> head{data.size(),    shape.channels,           shape.height,      shape.width,
                                         shape.features, shape.isSequence ? 1 : 0, data.targetCount()};
    sum.add(std::as_bytes(std::span(head)));
    std::vector<float> targets(static_cast<std::size_t>(data.targetCount()));
    std::vector<std::int64_t> labels(static_cast<std::size_t>(shape.labels()));
    const std::int64_t count = std::min(data.size(), kMaxSamples);
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t index = i * data.size() / count;
        if (targets.empty()) {
            data.labels(index, labels);
            sum.add(std::as_bytes(std::span(labels)));
        } else {
            data.targets(index, targets);
            sum.add(std::as_bytes(std::span(targets)));
        }
    }
    return sum.hex();
}

}  // namespace ringside
