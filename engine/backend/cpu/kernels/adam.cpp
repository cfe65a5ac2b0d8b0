// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/kernels/adam.h"

#include <cmath>

#include "backend/cpu/support/parts.h"

namespace ringside::cpu {

namespace {

// Scalars of one update: computed in double, as Python does, and rounded to float32 where PyTorch combines a scalar
// with a float tensor.
struct AdamScalars {
    AdamScalars(const AdamRule& rule, const UpdateState& state)
        : beta1(static_cast<float>(rule.beta1)),
          beta2(static_cast<float>(rule.beta2)),
          newFirst(static_cast<float>(1 - rule.beta1)),
          newSecond(static_cast<float>(1 - rule.beta2)),
          eps(static_cast<float>(rule.eps)),
          weightDecay(static_cast<float>(rule.weightDecay)),
          negativeStep(state.negativeStep),
          rootCorrection(state.rootCorrection),
          kept(rule.decoupled ? state.kept : 1) {}
    float beta1, beta2;
    float newFirst, newSecond;  // 1 - beta1 and 1 - beta2
    float eps;
    float weightDecay;
    float negativeStep;
    float rootCorrection;
    float kept;  // factor of the decoupled weight decay; 1 without decay, which changes no bit
};

RINGSIDE_VECTORISED void update(float* __restrict p, const float* __restrict g, float* __restrict m,
                                float* __restrict v, std::size_t n, AdamScalars s) {
    for (std::size_t i = 0; i < n; ++i) {
        const float first = std::fma(g[i], s.newFirst, m[i] * s.beta1);
        const float second = std::fma(s.newSecond * g[i], g[i], v[i] * s.beta2);
        m[i] = first;
        v[i] = second;
        p[i] = p[i] * s.kept + s.negativeStep * first / (std::sqrt(second) / s.rootCorrection + s.eps);
    }
}

RINGSIDE_VECTORISED void updateWithL2(float* __restrict p, const float* __restrict g, float* __restrict m,
                                      float* __restrict v, std::size_t n, AdamScalars s) {
    for (std::size_t i = 0; i < n; ++i) {
        const float d = std::fma(p[i], s.weightDecay, g[i]);
        const float first = std::fma(d, s.newFirst, m[i] * s.beta1);
        const float second = std::fma(s.newSecond * d, d, v[i] * s.beta2);
        m[i] = first;
        v[i] = second;
        p[i] = p[i] + s.negativeStep * first / (std::sqrt(second) / s.rootCorrection + s.eps);
    }
}

}  // namespace

void adam(float* parameter, const float* gradient, float* firstMoment, float* secondMoment, std::size_t count,
          const AdamRule& rule, const UpdateState& state, int threads) {
    const AdamScalars scalars(rule, state);
    const bool addsDecay = rule.weightDecay != 0 && !rule.decoupled;
    const auto step = addsDecay ? updateWithL2 : update;
    forEachPart(threads, count, kValuesPerPart, [&](std::size_t i, std::size_t end) {
        step(parameter + i, gradient + i, firstMoment + i, secondMoment + i, end - i, scalars);
    });
}

}  // namespace ringside::cpu
