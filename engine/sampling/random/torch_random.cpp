// SPDX-License-Identifier: Apache-2.0
#include "sampling/random/torch_random.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

#include "base/errors/errors.h"
#include "sampling/random/box_muller.h"

namespace ringside {
namespace {

constexpr std::size_t kBetweenChecks = std::size_t{1}
                                       << 16;  // number of values drawn between two checks of the stop token

// Fisher-Yates shuffle of torch.randperm: swaps order[i] and order[i + u mod (n - i)], with one draw u for each i. The
// targets of a block of draws are computed before the first swap, so that they can be prefetched.
class Shuffle {
  public:
    explicit Shuffle(std::span<std::uint32_t> order) : m_order(order) {}

    std::size_t left() const { return m_order.empty() ? 0 : m_order.size() - 1 - m_done; }

    void apply(std::span<const std::uint32_t> draws) {
        const auto n = static_cast<std::uint32_t>(m_order.size());
        std::uint32_t* order = m_order.data();
        auto place = static_cast<std::uint32_t>(m_done);
        for (std::size_t k = 0; k < draws.size(); ++k, ++place) {
            m_targets[k] = place + draws[k] % (n - place);
            __builtin_prefetch(order + m_targets[k], 1);
        }
        for (std::size_t k = 0; k < draws.size(); ++k) std::swap(order[m_done + k], order[m_targets[k]]);
        m_done += draws.size();
    }

  private:
    std::span<std::uint32_t> m_order;
    std::array<std::uint32_t, MersenneTwister::kBlock> m_targets{};
    std::size_t m_done = 0;
};

}  // namespace

std::uint64_t TorchGenerator::random64() {
    const std::uint64_t high = random();
    return high << 32 | random();
}

std::int64_t TorchGenerator::randomInt64() {
    return static_cast<std::int64_t>(random64() & ~(std::uint64_t{1} << 63));
}

float TorchGenerator::uniform24() {
    return static_cast<float>(random() & 0xffffffU) * 0x1p-24F;
}

double TorchGenerator::uniform53() {
    return static_cast<double>(random64() & ((std::uint64_t{1} << 53) - 1)) * 0x1p-53;
}

std::int64_t TorchGenerator::randint(std::int64_t low, std::int64_t high) {
    RINGSIDE_ASSERT(low < high);
    const std::uint64_t range = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
    const std::uint64_t draw = range >= (std::uint64_t{1} << 32) ? random64() : random();
    return static_cast<std::int64_t>(draw % range + static_cast<std::uint64_t>(low));
}

void TorchGenerator::uniform(std::span<float> out, float from, float to) {
    const float range = to - from;
    for (float& value : out) value = std::fma(uniform24(), range, from);
}

void TorchGenerator::normal(std::span<float> out, const std::stop_token& stop) {
    if (out.size() >= kBoxMullerBlock) {
        normalBlocks(out, stop);
        return;
    }
    for (float& value : out) value = static_cast<float>(normalPair());
}

double TorchGenerator::normalPair() {
    if (m_cachedNormal) {
        const double cached = *m_cachedNormal;
        m_cachedNormal.reset();
        return cached;
    }
    const double u1 = uniform53();
    const double u2 = uniform53();
    const double radius = std::sqrt(-2 * std::log1p(-u2));
    const double angle = 2 * std::numbers::pi * u1;
    m_cachedNormal = radius * std::sin(angle);
    return radius * std::cos(angle);
}

void TorchGenerator::normalBlocks(std::span<float> out, const std::stop_token& stop) {
    for (std::size_t at = 0; at < out.size(); ++at) {
        if (at % kBetweenChecks == 0 && stop.stop_requested()) return;
        out[at] = uniform24();
    }
    const std::size_t whole = out.size() / kBoxMullerBlock * kBoxMullerBlock;
    for (std::size_t at = 0; at < whole && !stop.stop_requested(); at += kBetweenChecks) {
        boxMuller(out.subspan(at, std::min(kBetweenChecks, whole - at)));
    }
    if (whole == out.size()) return;
    // PyTorch draws the last 16 values again and overwrites those of them that earlier blocks have set.
    const std::span<float> last = out.last(kBoxMullerBlock);
    for (float& value : last) value = uniform24();
    boxMuller(last);
}

std::vector<std::uint32_t> TorchGenerator::randperm(std::int64_t n, const DrawWatch& watch) {
    RINGSIDE_ASSERT(n >= 0 && n <= INT32_MAX);
    std::vector<std::uint32_t> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), 0U);
    Shuffle shuffle(order);
    while (shuffle.left() > 0 && !watch.isStopped()) {
        shuffle.apply(m_engine.next(shuffle.left()));
        watch.report(n - static_cast<std::int64_t>(shuffle.left()));
    }
    return order;
}

}  // namespace ringside
