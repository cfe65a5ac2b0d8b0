// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>

namespace ringside {

// Returns a hash of several numbers that is the same on all platforms: SplitMix64's step (Steele, Lea and Flood 2014)
// for each number.
constexpr std::uint64_t hashOf(std::initializer_list<std::uint64_t> values) {
    std::uint64_t key = 0;
    for (const std::uint64_t value : values) {
        key = (key ^ value) + 0x9e3779b97f4a7c15U;
        key = (key ^ (key >> 30)) * 0xbf58476d1ce4e5b9U;
        key = (key ^ (key >> 27)) * 0x94d049bb133111ebU;
        key ^= key >> 31;
    }
    return key;
}

}  // namespace ringside
