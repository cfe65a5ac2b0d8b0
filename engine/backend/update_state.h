// SPDX-License-Identifier: Apache-2.0
// What an update depends on besides tensors. It lives in the device's memory and is decided there, by the same
// arithmetic on CPU and GPU, so that a recorded step follows the learning rate, clips gradients and leaves updates out
// without the host.
#pragma once

#include <cmath>
#include <cstdint>

#include "backend/host_device.h"

namespace ringside {

// The same in every step of a run.
struct UpdateRules {
    double clipNorm = 0;      // as torch.nn.utils.clip_grad_norm_; 0: off
    bool scalesLoss = false;  // as torch.cuda.amp.GradScaler, for float16
    double beta1 = 0;         // of Adam, for its bias corrections; 0 elsewhere
    double beta2 = 0;
    double decoupledDecay = 0;  // AdamW's weight decay

    RINGSIDE_HOST_DEVICE bool measuresNorm() const { return clipNorm > 0 || scalesLoss; }
};

inline constexpr double kFirstLossScale = 65536;  // GradScaler's default, as the next three are
inline constexpr double kLossScaleGrowth = 2;
inline constexpr double kLossScaleBackoff = 0.5;
inline constexpr std::int64_t kLossScaleInterval = 2000;  // good steps in a row before it grows

struct UpdateState {
    double lr = 0;                  // in front: the host puts a new one here
    double lossScale = 1;           // what the loss is multiplied by
    std::int64_t goodSteps = 0;     // since the loss scale last changed
    std::int64_t updates = 0;       // done: all steps but those left out
    std::int64_t skippedSteps = 0;  // left out, for their gradient was infinite

    // Of the last step.
    float norm = NAN;  // of its gradient before clipping; NaN if left out
    float factor = 1;  // of its gradient: unscales and clips it
    bool skipped = false;
    // Scalars of its update, rounded to float where PyTorch does.
    float negativeStep = 0;    // -lr, with Adam's correction of the first moment
    float rootCorrection = 1;  // of Adam's second moment
    float kept = 1;            // what AdamW's weight decay leaves of a parameter
};

// A gradient's share in the squared norm of all: its own norm is rounded to float32, as clip_grad_norm_ does.
RINGSIDE_HOST_DEVICE double squareOfNorm(double sumOfSquares) {
    const auto norm = static_cast<float>(std::sqrt(sumOfSquares));
    return static_cast<double>(norm) * static_cast<double>(norm);
}

// clip_grad_norm_'s coefficient; NaN stays.
RINGSIDE_HOST_DEVICE float clipFactorOf(float norm, double clipNorm) {
    const float wanted = static_cast<float>(clipNorm) / (norm + 1e-6F);
    return wanted > 1 ? 1 : wanted;
}

// GradScaler.update() after a step that was left out or not.
RINGSIDE_HOST_DEVICE void adaptLossScale(UpdateState& state) {
    if (state.skipped) {
        state.lossScale *= kLossScaleBackoff;
        state.goodSteps = 0;
        ++state.skippedSteps;
    } else if (++state.goodSteps >= kLossScaleInterval) {
        state.lossScale *= kLossScaleGrowth;
        state.goodSteps = 0;
    }
}

// GradScaler.unscale_() and clip_grad_norm_(); squaredNorm: of the gradient as it is, with the loss scale in it.
RINGSIDE_HOST_DEVICE void applyNorm(UpdateState& state, const UpdateRules& rules, double squaredNorm) {
    const auto unscale = static_cast<float>(1 / state.lossScale);
    state.norm = static_cast<float>(std::sqrt(squaredNorm)) * unscale;
    state.skipped = rules.scalesLoss && !std::isfinite(state.norm);
    if (state.skipped) state.norm = NAN;
    state.factor = rules.clipNorm > 0 ? clipFactorOf(state.norm, rules.clipNorm) * unscale : unscale;
    if (rules.scalesLoss) adaptLossScale(state);
}

RINGSIDE_HOST_DEVICE double biasCorrection(double beta, std::int64_t updates) {
    return beta == 0 ? 1 : 1 - std::pow(beta, static_cast<double>(updates));
}

// Once in each step, when its gradient is complete. squaredNorm counts when rules.measuresNorm().
RINGSIDE_HOST_DEVICE void decideUpdate(UpdateState& state, const UpdateRules& rules, double squaredNorm) {
    if (rules.measuresNorm()) applyNorm(state, rules, squaredNorm);
    if (state.skipped) return;
    ++state.updates;
    state.negativeStep = static_cast<float>(-(state.lr / biasCorrection(rules.beta1, state.updates)));
    state.rootCorrection = static_cast<float>(std::sqrt(biasCorrection(rules.beta2, state.updates)));
    state.kept = static_cast<float>(1 - state.lr * rules.decoupledDecay);
}

}  // namespace ringside
