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

// torch.Generator on the CPU, bit for bit as an x86 build with AVX2 draws (ATen/CPUGeneratorImpl.cpp,
// native/cpu/DistributionTemplates.h): the same calls in the same order give the same numbers.
class TorchGenerator {
  public:
    // As manual_seed(seed). Negative seeds wrap (s + 2^64); only the low 32 bits shape the stream.
    explicit TorchGenerator(std::int64_t seed) : TorchGenerator(static_cast<std::uint64_t>(seed)) {}
    explicit TorchGenerator(std::uint64_t seed) : m_engine(static_cast<std::uint32_t>(seed)) {}
    explicit TorchGenerator(int seed) : TorchGenerator(static_cast<std::int64_t>(seed)) {}

    std::uint32_t random() { return m_engine.next(); }
    std::uint64_t random64();    // two words, the first one high
    std::int64_t randomInt64();  // tensor.random_() on int64: random64() mod 2^63, a loader's base_seed
    float uniform24();           // torch.rand, float32: [0, 1) in steps of 2^-24
    double uniform53();          // torch.rand, float64: [0, 1) in steps of 2^-53
    std::int64_t randint(std::int64_t low, std::int64_t high);  // [low, high), low < high

    // tensor.uniform_(from, to) on contiguous float32: one fused multiply-add per value.
    void uniform(std::span<float> out, float from, float to);

    // torch.randn on contiguous float32.
    // When `stop` is asked for, the rest of `out` is soon left as it is.
    void normal(std::span<float> out, const std::stop_token& stop = {});

    // torch.randperm(n), n <= 2^31 - 1. Every n is drawn as PyTorch 1.x to 2.5 draw it (2.6 changed n >= 214,748,364,
    // where its 32-bit draws are too coarse; see randpermLarge). After a stop by the watch the rest is not
    // shuffled.
    std::vector<std::uint32_t> randperm(std::int64_t n, const DrawWatch& watch = {});

    // torch.randperm of PyTorch 2.6 and later for n >= 214,748,364: inside-out Fisher-Yates over random64().
    std::vector<std::uint32_t> randpermLarge(std::int64_t n);

  private:
    double normalPair();
    void normalBlocks(std::span<float> out, const std::stop_token& stop);

    MersenneTwister m_engine;
    std::optional<double> m_cachedNormal;  // the second value of normalPair()
};

}  // namespace ringside
