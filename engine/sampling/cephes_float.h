// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ringside {

struct SinCos {
    float sine = 0;
    float cosine = 0;
};

// The single-precision polynomials that PyTorch's AVX2 normal_() uses (ATen/native/cpu/avx_mathfun.h, after Moshier's
// Cephes), with the fused multiply-adds of its compiled form. Bits matter: see the tests.
float cephesLog(float x);      // 0 < x <= 1
SinCos cephesSinCos(float t);  // 0 <= t

}  // namespace ringside
