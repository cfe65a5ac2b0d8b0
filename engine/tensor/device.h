// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ringside {

// Compute device: the CPU, or the CUDA device with this index.
struct Device {
    enum class Kind { kCpu, kCuda };
    Kind kind = Kind::kCpu;
    int index = 0;
    bool operator==(const Device&) const = default;
};

}  // namespace ringside
