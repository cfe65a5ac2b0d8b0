// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace ringside {

// MT19937 seeded with init_genrand (Matsumoto and Nishimura 1998), equal to std::mt19937 and to
// ATen/core/MT19937RNGEngine.h. Computes 624 outputs at a time in loops that the compiler vectorises.
class MersenneTwister {
  public:
    static constexpr std::size_t kBlock = 624;

    explicit MersenneTwister(std::uint32_t seed);

    std::uint32_t next() {
        if (m_next == kBlock) refill();
        return m_output[m_next++];
    }

    // Consumes and returns at least one and at most `wanted` outputs. The returned span is valid until the next call.
    std::span<const std::uint32_t> next(std::size_t wanted);

  private:
    void refill();

    std::array<std::uint32_t, kBlock> m_state;
    std::array<std::uint32_t, kBlock> m_output{};
    std::size_t m_next = kBlock;
};

}  // namespace ringside
