// SPDX-License-Identifier: Apache-2.0
#include "sampling/cephes_float.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

namespace ringside {
namespace {

template <std::size_t N>
float horner(const std::array<float, N>& coefficients, float x) {
    float sum = coefficients[0];
    for (std::size_t i = 1; i < N; ++i) sum = std::fma(sum, x, coefficients[i]);
    return sum;
}

constexpr std::array<float, 9> kLog = {7.0376836292e-2F,  -1.1514610310e-1F, 1.1676998740e-1F,
                                       -1.2420140846e-1F, 1.4249322787e-1F,  -1.6668057665e-1F,
                                       2.0000714765e-1F,  -2.4999993993e-1F, 3.3333331174e-1F};
constexpr std::array<float, 3> kCosine = {2.443315711809948e-5F, -1.388731625493765e-3F, 4.166664568298827e-2F};
constexpr std::array<float, 3> kSine = {-1.9515295891e-4F, 8.3321608736e-3F, -1.6666654611e-1F};

}  // namespace

float cephesLog(float x) {
    int exponent = 0;
    float m = std::frexp(x, &exponent);
    auto e = static_cast<float>(exponent);
    if (m < 0.70710678F) {
        e -= 1.0F;
        m = (m - 1.0F) + m;
    } else {
        m = m - 1.0F;
    }
    const float z = m * m;
    float y = horner(kLog, m) * m;
    y = std::fma(y, z, e * -2.12194440e-4F);
    y -= 0.5F * z;
    return std::fma(e, 0.693359375F, m + y);
}

SinCos cephesSinCos(float t) {
    const auto octant = (static_cast<std::int32_t>(t * 1.27323954473516F) + 1) & ~1;
    const auto y = static_cast<float>(octant);
    float x = std::fma(y, -0.78515625F, t);
    x = std::fma(y, -2.4187564849853515625e-4F, x);
    x = std::fma(y, -3.77489497744594108e-8F, x);
    const float z = x * x;
    const float cosine = std::fma(horner(kCosine, z) * z, z, -(0.5F * z)) + 1.0F;
    const float sine = std::fma(horner(kSine, z) * z, x, x);
    const bool swapped = (octant & 2) != 0;
    SinCos result{swapped ? cosine : sine, swapped ? sine : cosine};
    if ((octant & 4) != 0) result.sine = -result.sine;
    if ((~(octant - 2) & 4) != 0) result.cosine = -result.cosine;
    return result;
}

}  // namespace ringside
