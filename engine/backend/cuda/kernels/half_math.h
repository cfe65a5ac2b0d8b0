// SPDX-License-Identifier: Apache-2.0
// Conversion between float32 and 16-bit formats, rounded to nearest, ties to even, as torch.Tensor.to(); for host and
// device.
#pragma once

#include <cstring>

#include "backend/cuda/kernels/device_math.h"

namespace ringside::cuda {

// Returns the bits of a value. C++20's std::bit_cast is not available in device code.
RINGSIDE_HOST_DEVICE std::uint32_t bitsOf(float value) {
    std::uint32_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

RINGSIDE_HOST_DEVICE float floatOf(std::uint32_t bits) {
    float value = 0;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// Format bfloat16: a float32 rounded to its upper 16 bits, with the range of float32 and 8 bits of precision.
struct Bfloat16 {
    RINGSIDE_HOST_DEVICE static std::uint16_t narrow(float value) {
        if (value != value) return 0x7fc0;
        const std::uint32_t bits = bitsOf(value);
        return static_cast<std::uint16_t>((bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16);
    }
    RINGSIDE_HOST_DEVICE static float widen(std::uint16_t value) {
        return floatOf(static_cast<std::uint32_t>(value) << 16);
    }
};

// Format float16 (IEEE binary16): 11 bits of precision, up to 65504, subnormal below 2^-14.
struct Float16 {
    RINGSIDE_HOST_DEVICE static std::uint16_t narrow(float value) {
        const std::uint32_t bits = bitsOf(value);
        const auto sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000U);
        const std::uint32_t magnitude = bits & 0x7fffffffU;
        if (magnitude > 0x7f800000U) return static_cast<std::uint16_t>(sign | 0x7e00U);  // a NaN stays NaN
        if (magnitude >= 0x477ff000U)
            return static_cast<std::uint16_t>(sign | 0x7c00U);  // values of 65520 and more
                                                                // become infinity
        if (magnitude < 0x38800000U) {
            // Subnormal: adding 2^-1 lets the float addition round at 2^-24, the smallest step.
            const float shifted = floatOf(magnitude) + 0.5F;
            return static_cast<std::uint16_t>(sign | (bitsOf(shifted) - bitsOf(0.5F)));
        }
        const std::uint32_t rounded = magnitude + 0xfffU + ((magnitude >> 13) & 1U);
        return static_cast<std::uint16_t>(sign | ((rounded - 0x38000000U) >> 13));
    }
    RINGSIDE_HOST_DEVICE static float widen(std::uint16_t value) {
        const std::uint32_t sign = static_cast<std::uint32_t>(value & 0x8000U) << 16;
        const std::uint32_t magnitude = value & 0x7fffU;
        if (magnitude >= 0x7c00U) return floatOf(sign | 0x7f800000U | (magnitude & 0x3ffU) << 13);
        if (magnitude >= 0x400U) return floatOf(sign | ((magnitude << 13) + 0x38000000U));
        const float small = static_cast<float>(magnitude) * 5.9604644775390625e-8F;  // 2^-24
        return floatOf(sign | bitsOf(small));
    }
};

}  // namespace ringside::cuda
