// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "sampling/random/draw_watch.h"
#include "sampling/random/mersenne_twister.h"

namespace ringside {

// torch.Generator on the CPU, bit-identical to an x86 build with AVX2 (ATen/CPUGeneratorImpl.cpp,
// native/cpu/DistributionTemplates.h): the same calls in the same order give the same numbers.
class TorchGenerator {
  public:
    // Seeds the generator as manual_seed(seed) does. Negative seeds wrap (s + 2^64). Only the low 32 bits affect the
    // numbers.
    explicit TorchGenerator(std::int64_t seed) : TorchGenerator(static_cast<std::uint64_t>(seed)) {}
    explicit TorchGenerator(std::uint64_t seed) : m_engine(static_cast<std::uint32_t>(seed)) {}
    explicit TorchGenerator(int seed) : TorchGenerator(static_cast<std::int64_t>(seed)) {}

    std::uint32_t random() { return m_engine.next(); }
    std::uint64_t random64();    // returns two 32-bit draws, the first one in the high half
    std::int64_t randomInt64();  // returns tensor.random_() on int64: random64() mod 2^63; draws a loader's base_seed
    float uniform24();           // returns torch.rand, float32: [0, 1) in steps of 2^-24
    double uniform53();          // returns torch.rand, float64: [0, 1) in steps of 2^-53
    std::int64_t randint(std::int64_t low, std::int64_t high);  // returns a number in [low, high); low < high

    // Equal to tensor.uniform_(from, to) on contiguous float32: one fused multiply-add per value.
    void uniform(std::span<float> out, float from, float to);

    // Equal to torch.randn on contiguous float32. If `stop` is requested, returns early and leaves `out` incomplete.
    void normal(std::span<float> out, const std::stop_token& stop = {});

    // Equal to torch.randperm(n) of PyTorch 1.x to 2.5, n <= 2^31 - 1. PyTorch 2.6 uses another algorithm for n >=
    // 214,748,364, because 32-bit draws are too coarse there. If `watch` stops the draw, the rest of the permutation is
    // not shuffled.
    std::vector<std::uint32_t> randperm(std::int64_t n, const DrawWatch& watch = {});

  private:
    double normalPair();
    void normalBlocks(std::span<float> out, const std::stop_token& stop);

    MersenneTwister m_engine;
    std::optional<double> m_cachedNormal;  // second value of a pair, returned by the next call of normalPair()
};

}  // namespace ringside
