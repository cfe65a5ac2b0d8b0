// SPDX-License-Identifier: Apache-2.0
#include "sampling/random/box_muller.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "base/errors/errors.h"

namespace ringside {
namespace {

// The single-precision polynomials are those of ATen/native/cpu/avx_mathfun.h, after Moshier's Cephes, with the fused
// multiply-adds of its compiled form. Branches are conditional expressions, so that the compiler vectorises the loop
// over eight values.

struct SinCos {
    float sine = 0;
    float cosine = 0;
};

constexpr std::array<float, 9> kLog = {7.0376836292e-2F,  -1.1514610310e-1F, 1.1676998740e-1F,
                                       -1.2420140846e-1F, 1.4249322787e-1F,  -1.6668057665e-1F,
                                       2.0000714765e-1F,  -2.4999993993e-1F, 3.3333331174e-1F};
constexpr std::array<float, 3> kCosine = {2.443315711809948e-5F, -1.388731625493765e-3F, 4.166664568298827e-2F};
constexpr std::array<float, 3> kSine = {-1.9515295891e-4F, 8.3321608736e-3F, -1.6666654611e-1F};

template <std::size_t N>
[[gnu::always_inline]] inline float horner(const std::array<float, N>& coefficients, float x) {
    float sum = coefficients[0];
    for (std::size_t i = 1; i < N; ++i) sum = std::fma(sum, x, coefficients[i]);
    return sum;
}

// Returns the natural logarithm of x. 0 < x <= 1, not subnormal.
[[gnu::always_inline]] inline float logOf(float x) {
    const auto bits = std::bit_cast<std::int32_t>(x);
    const float half = std::bit_cast<float>((bits & 0x007fffff) | 0x3f000000);  // x = half * 2^exponent
    const bool small = half < 0.70710678F;
    const float e = static_cast<float>((bits >> 23) - 126) - (small ? 1.0F : 0.0F);
    const float m = (half - 1.0F) + (small ? half : 0.0F);
    const float z = m * m;
    float y = horner(kLog, m) * m;
    y = std::fma(y, z, e * -2.12194440e-4F);
    y -= 0.5F * z;
    return std::fma(e, 0.693359375F, m + y);
}

[[gnu::always_inline]] inline float negatedIf(bool negated, float x) {
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(x) ^ (negated ? 0x80000000U : 0U));
}

// Returns the sine and cosine of t. 0 <= t.
[[gnu::always_inline]] inline SinCos sinCosOf(float t) {
    const auto octant = (static_cast<std::int32_t>(t * 1.27323954473516F) + 1) & ~1;
    const auto y = static_cast<float>(octant);
    float x = std::fma(y, -0.78515625F, t);
    x = std::fma(y, -2.4187564849853515625e-4F, x);
    x = std::fma(y, -3.77489497744594108e-8F, x);
    const float z = x * x;
    const float cosine = std::fma(horner(kCosine, z) * z, z, -(0.5F * z)) + 1.0F;
    const float sine = std::fma(horner(kSine, z) * z, x, x);
    const bool swapped = (octant & 2) != 0;
    return {negatedIf((octant & 4) != 0, swapped ? cosine : sine),
            negatedIf((~(octant - 2) & 4) != 0, swapped ? sine : cosine)};
}

RINGSIDE_VECTORISED void transform(float* x, std::size_t size) {
    constexpr float kTwoPi = static_cast<float>(2 * std::numbers::pi);
    constexpr std::size_t kHalf = kBoxMullerBlock / 2;
    for (const float* end = x + size; x != end; x += kBoxMullerBlock) {
        for (std::size_t j = 0; j < kHalf; ++j) {
            const float radius = std::sqrt(-2.0F * logOf(1.0F - x[j]));
            const SinCos angle = sinCosOf(kTwoPi * x[j + kHalf]);
            x[j] = std::fma(radius * angle.cosine, 1.0F, 0.0F);
            x[j + kHalf] = std::fma(radius * angle.sine, 1.0F, 0.0F);
        }
    }
}

}  // namespace

void boxMuller(std::span<float> blocks) {
    RINGSIDE_ASSERT(blocks.size() % kBoxMullerBlock == 0);
    transform(blocks.data(), blocks.size());
}

}  // namespace ringside
