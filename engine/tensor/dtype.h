// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace ringside {

enum class DType { kFloat32, kInt64 };

constexpr std::size_t sizeOf(DType type) {
    return type == DType::kFloat32 ? 4 : 8;
}

}  // namespace ringside
