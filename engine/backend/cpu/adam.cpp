// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/adam.h"

#include <cmath>

namespace ringside::cpu {

namespace {

// Python's doubles, rounded to float32 where they meet a float tensor.
struct AdamScalars {
    explicit AdamScalars(const AdamStep& step)
        : beta1(static_cast<float>(step.beta1)),
          beta2(static_cast<float>(step.beta2)),
          newFirst(static_cast<float>(1 - step.beta1)),
          newSecond(static_cast<float>(1 - step.beta2)),
          eps(static_cast<float>(step.eps)),
          kept(static_cast<float>(1 - step.lr * step.weightDecay)),
          weightDecay(static_cast<float>(step.weightDecay)) {
        const auto number = static_cast<double>(step.number);
        negativeStep = static_cast<float>(-(step.lr / (1 - std::pow(step.beta1, number))));
        rootCorrection = static_cast<float>(std::sqrt(1 - std::pow(step.beta2, number)));
    }
    float beta1, beta2;
    float newFirst, newSecond;  // 1 - beta
    float eps;
    float kept;  // AdamW: what weight decay leaves
    float weightDecay;
    float negativeStep = 0;
    float rootCorrection = 0;
};

RINGSIDE_VECTORISED void update(float* __restrict p, const float* __restrict g, float* __restrict m,
                                float* __restrict v, std::size_t n, AdamScalars s) {
    for (std::size_t i = 0; i < n; ++i) {
        const float first = std::fma(g[i], s.newFirst, m[i] * s.beta1);
        const float second = std::fma(s.newSecond * g[i], g[i], v[i] * s.beta2);
        m[i] = first;
        v[i] = second;
        p[i] = p[i] + s.negativeStep * first / (std::sqrt(second) / s.rootCorrection + s.eps);
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

RINGSIDE_VECTORISED void shrink(float* p, std::size_t n, float factor) {
    for (std::size_t i = 0; i < n; ++i) p[i] *= factor;
}

}  // namespace

void adam(float* parameter, const float* gradient, float* firstMoment, float* secondMoment, std::size_t count,
          const AdamStep& step) {
    const AdamScalars scalars(step);
    if (step.decoupled) shrink(parameter, count, scalars.kept);
    const bool addsDecay = step.weightDecay != 0 && !step.decoupled;
    (addsDecay ? updateWithL2 : update)(parameter, gradient, firstMoment, secondMoment, count, scalars);
}

}  // namespace ringside::cpu
