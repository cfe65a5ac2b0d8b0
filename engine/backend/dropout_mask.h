// SPDX-License-Identifier: Apache-2.0
// Dropout masks for host and device. Every device draws the same mask from the same key.
#pragma once

#include <cstdint>

#include "backend/host_device.h"

namespace ringside {

// Maps 32 bits to 32 bits one to one, so that each input bit flips about half of the output bits: the last step of
// MurmurHash3 (public domain).
RINGSIDE_HOST_DEVICE std::uint32_t scrambled(std::uint32_t x) {
    x = (x ^ (x >> 16)) * 0x85ebca6bU;
    x = (x ^ (x >> 13)) * 0xc2b2ae35U;
    return x ^ (x >> 16);
}

// Returns the threshold that dropoutKeeps() compares with 32 random bits. probability: in [0, 1).
RINGSIDE_HOST_DEVICE std::uint32_t dropoutThreshold(double probability) {
    return static_cast<std::uint32_t>(probability * 4294967296.0);
}

// True if dropout keeps value number `index` of a tensor with up to 2^32 values. The result depends only on the
// arguments, so that values can be drawn in any order and on any thread.
RINGSIDE_HOST_DEVICE bool dropoutKeeps(std::uint64_t key, std::uint32_t index, std::uint32_t threshold) {
    const auto low = static_cast<std::uint32_t>(key);
    const auto high = static_cast<std::uint32_t>(key >> 32);
    return scrambled(scrambled(index ^ low) + high) >= threshold;
}

}  // namespace ringside
