// SPDX-License-Identifier: Apache-2.0
#include "sampling/random/mersenne_twister.h"

#include <algorithm>

namespace ringside {
namespace {

constexpr std::size_t kShift = 397;

std::uint32_t twist(std::uint32_t upper, std::uint32_t lower) {
    const std::uint32_t mixed = (upper & 0x80000000U) | (lower & 0x7fffffffU);
    return (mixed >> 1) ^ ((0U - (lower & 1U)) & 0x9908b0dfU);
}

std::uint32_t tempered(std::uint32_t y) {
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680U;
    y ^= (y << 15) & 0xefc60000U;
    return y ^ (y >> 18);
}

}  // namespace

MersenneTwister::MersenneTwister(std::uint32_t seed) {
    m_state[0] = seed;
    for (std::uint32_t i = 1; i < kBlock; ++i) {
        m_state[i] = 1812433253U * (m_state[i - 1] ^ (m_state[i - 1] >> 30)) + i;
    }
}

std::span<const std::uint32_t> MersenneTwister::next(std::size_t wanted) {
    if (m_next == kBlock) refill();
    const std::size_t count = std::min(wanted, kBlock - m_next);
    const std::span<const std::uint32_t> taken(m_output.data() + m_next, count);
    m_next += count;
    return taken;
}

void MersenneTwister::refill() {
    auto& s = m_state;
    constexpr std::size_t kFirst = kBlock - kShift;
    for (std::size_t i = 0; i < kFirst; ++i) s[i] = s[i + kShift] ^ twist(s[i], s[i + 1]);
    for (std::size_t i = kFirst; i < kBlock - 1; ++i) s[i] = s[i - kFirst] ^ twist(s[i], s[i + 1]);
    s[kBlock - 1] = s[kShift - 1] ^ twist(s[kBlock - 1], s[0]);
    std::ranges::transform(s, m_output.begin(), tempered);
    m_next = 0;
}

}  // namespace ringside
