// SPDX-License-Identifier: Apache-2.0
// State on which an update depends besides tensors. It lives in the device's memory and is computed there, with the
// same arithmetic on CPU and GPU. A recorded step can therefore follow the learning rate, clip gradients and skip
// updates without the host.
#pragma once

#include <cmath>
#include <cstdint>

#include "backend/host_device.h"

namespace ringside {

// Rules of the update, constant during a run.
struct UpdateRules {
    double clipNorm = 0;      // maximum norm of the gradient, as max_norm of torch.nn.utils.clip_grad_norm_; 0: no
                              // clipping
    bool scalesLoss = false;  // true to scale the loss as torch.cuda.amp.GradScaler does, for float16
    double beta1 = 0;         // Adam's beta1 for its bias correction; 0 for other optimizers
    // Adam's beta2; 0 for other optimizers.
    double beta2 = 0;
    double decoupledDecay = 0;  // AdamW's weight decay; 0 for other optimizers

    RINGSIDE_HOST_DEVICE bool measuresNorm() const { return clipNorm > 0 || scalesLoss; }
};

inline constexpr double kFirstLossScale = 65536;  // initial loss scale; this value and the three constants below are
                                                  // the defaults of torch.cuda.amp.GradScaler
inline constexpr double kLossScaleGrowth = 2;
inline constexpr double kLossScaleBackoff = 0.5;
// Number of consecutive steps that are not skipped, after which the loss scale grows.
inline constexpr std::int64_t kLossScaleInterval = 2000;

// Progress of the optimizer and the decision on the current update.
struct UpdateState {
    // Learning rate. Must be the first member, because the host sets the learning rate by overwriting the first bytes
    // of this structure.
    double lr = 0;
    double lossScale = 1;           // factor of the loss
    std::int64_t goodSteps = 0;     // number of steps without an infinite gradient since the loss scale last changed
    std::int64_t updates = 0;       // number of updates of the parameters, without skipped steps
    std::int64_t skippedSteps = 0;  // number of steps that were skipped because the gradient was not finite

    float norm = NAN;  // gradient norm of the last step, before clipping; NaN if the step was skipped
    float factor = 1;  // factor that unscales and clips the gradient
    bool skipped = false;
    // Scalars of the last step's update, rounded to float where PyTorch rounds.
    float negativeStep = 0;    // -lr, divided by the bias correction of Adam's first moment
    float rootCorrection = 1;  // square root of the bias correction of Adam's second moment
    float kept = 1;            // factor of AdamW's weight decay for a parameter: 1 - lr * decay
};

// Returns the square of one gradient's norm, rounded to float32 as clip_grad_norm_ rounds each gradient's norm.
RINGSIDE_HOST_DEVICE double squareOfNorm(double sumOfSquares) {
    const auto norm = static_cast<float>(std::sqrt(sumOfSquares));
    return static_cast<double>(norm) * static_cast<double>(norm);
}

// Returns the factor by which clip_grad_norm_ multiplies the gradients: below 1 if they are clipped. NaN stays NaN.
RINGSIDE_HOST_DEVICE float clipFactorOf(float norm, double clipNorm) {
    const float wanted = static_cast<float>(clipNorm) / (norm + 1e-6F);
    return wanted > 1 ? 1 : wanted;
}

// Updates the loss scale as GradScaler.update(), depending on whether the step was skipped.
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

// Computes norm, factor and skipped as GradScaler.unscale_() and clip_grad_norm_(). squaredNorm: squared norm of the
// gradient before unscaling.
RINGSIDE_HOST_DEVICE void applyNorm(UpdateState& state, const UpdateRules& rules, double squaredNorm) {
    const auto unscale = static_cast<float>(1 / state.lossScale);
    state.norm = static_cast<float>(std::sqrt(squaredNorm)) * unscale;
    state.skipped = rules.scalesLoss && !std::isfinite(state.norm);
    if (state.skipped) state.norm = NAN;
    state.factor = rules.clipNorm > 0 ? clipFactorOf(state.norm, rules.clipNorm) * unscale : unscale;
    if (rules.scalesLoss) adaptLossScale(state);
}

// Returns Adam's bias correction, 1 - beta^updates.
RINGSIDE_HOST_DEVICE double biasCorrection(double beta, std::int64_t updates) {
    return beta == 0 ? 1 : 1 - std::pow(beta, static_cast<double>(updates));
}

// Decides on the update of a step. Called once in each step, when its gradient is complete. squaredNorm is used only if
// rules.measuresNorm().
RINGSIDE_HOST_DEVICE void decideUpdate(UpdateState& state, const UpdateRules& rules, double squaredNorm) {
    if (rules.measuresNorm()) applyNorm(state, rules, squaredNorm);
    if (state.skipped) return;
    ++state.updates;
    state.negativeStep = static_cast<float>(-(state.lr / biasCorrection(rules.beta1, state.updates)));
    state.rootCorrection = static_cast<float>(std::sqrt(biasCorrection(rules.beta2, state.updates)));
    state.kept = static_cast<float>(1 - state.lr * rules.decoupledDecay);
}

}  // namespace ringside
