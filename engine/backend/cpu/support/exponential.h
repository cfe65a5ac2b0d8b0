// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace ringside::cpu {

// Returns e^x for x <= 0, to about 1 ulp: 2^n by exponent bits times a degree-7 polynomial on [-ln2/2, ln2/2]. Below
// -87 the result is 0 or close to the smallest normal value, which makes no difference in a softmax. NaN stays NaN.
// Defined in a header so that the loops that call it vectorise.
inline float expOfNonPositive(float x) {
    const float kRound = 12582912.0F;  // 1.5 * 2^23: adding it rounds to the nearest integer
    const float clamped = x < -87.0F ? -87.0F : x;
    const float shifted = std::fma(clamped, 1.44269504F, kRound);
    const float n = shifted - kRound;
    const float r = std::fma(n, 1.90465430e-9F, std::fma(n, -0.693147182F, clamped));
    float p = 1.0F / 5040;
    p = std::fma(p, r, 1.0F / 720);
    p = std::fma(p, r, 1.0F / 120);
    p = std::fma(p, r, 1.0F / 24);
    p = std::fma(p, r, 1.0F / 6);
    p = std::fma(p, r, 0.5F);
    p = std::fma(p, r, 1.0F);
    p = std::fma(p, r, 1.0F);
    const std::int32_t exponent = std::bit_cast<std::int32_t>(shifted) << 23;  // the low bits of `shifted` contain n,
                                                                               // the exponent of the factor 2^n
    const float power = std::bit_cast<float>(std::bit_cast<std::int32_t>(p) + exponent);
    return x != x ? x : power;
}

// Returns erf(x) to about 1e-7: up to 1 an odd polynomial, above 1 the value 1 - e^-q(x) with a polynomial q, each
// fitted by least squares on Chebyshev nodes. NaN stays NaN.
inline float errorFunction(float x) {
    const float a = std::fabs(x);
    const float s = x * x;
    float p = 7.88249745e-05F;
    p = std::fma(p, s, -0.00080188555F);
    p = std::fma(p, s, 0.00518931216F);
    p = std::fma(p, s, -0.0268543288F);
    p = std::fma(p, s, 0.112835974F);
    p = std::fma(p, s, -0.37612626F);
    p = std::fma(p, s, 1.12837911F);
    const float b = a > 4.0F ? 4.0F : a;  // for larger values the result is the same, because erf(4) is 1 in float
    float q = 6.58285657e-08F;
    q = std::fma(q, b, -3.09520442e-06F);
    q = std::fma(q, b, 6.00687927e-05F);
    q = std::fma(q, b, -0.000673337549F);
    q = std::fma(q, b, 0.0050210445F);
    q = std::fma(q, b, -0.0269994978F);
    q = std::fma(q, b, 0.11090742F);
    q = std::fma(q, b, 0.631088853F);
    q = std::fma(q, b, 1.13060451F);
    q = std::fma(q, b, -0.000400500488F);
    const float outer = std::copysign(1.0F - expOfNonPositive(-q), x);
    return a > 1.0F ? outer : x * p;
}

}  // namespace ringside::cpu
