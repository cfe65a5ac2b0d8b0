// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace ringside {

// Types of the values of a tensor.
enum class DType { kFloat32, kInt64, kUInt8 };

// Returns the size of one value in bytes.
constexpr std::size_t sizeOf(DType type) {
    switch (type) {
        case DType::kFloat32:
            return 4;
        case DType::kInt64:
            return 8;
        case DType::kUInt8:
            break;
    }
    return 1;
}

}  // namespace ringside
