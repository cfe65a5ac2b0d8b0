// SPDX-License-Identifier: Apache-2.0
// Tests of the decision about an update: clipping, the loss scale, and skipped steps.
#include "backend/update_state.h"

#include <limits>

#include "backend/backend.h"
#include "support/catch.h"

using namespace ringside;

namespace {

constexpr float kInfinite = std::numeric_limits<float>::infinity();

struct Gradients {
    Gradients() {
        for (int i = 0; i < 6; ++i) first.floats()[static_cast<std::size_t>(i)] = static_cast<float>(i + 1) / 8;
        second.floats()[0] = -0.5F;
        second.floats()[1] = 2;
    }
    // Returns the scaled gradient that an update uses.
    float taken(const Tensor& gradient, std::size_t i) const { return gradient.floats()[i] * state().factor; }
    UpdateState& state() const { return *static_cast<UpdateState*>(block.data); }
    void decide(const UpdateRules& rules) {
        const Tensor both[] = {first, second};
        backend->decideUpdate(both, rules, block);
    }

    std::unique_ptr<Backend> backend = makeCpuBackend(1);
    Tensor first = backend->allocate({2, 3}, DType::kFloat32);
    Tensor second = backend->allocate({2}, DType::kFloat32);
    UpdateState start;
    Tensor block{&start, {sizeof start}, DType::kUInt8, {}};
};

UpdateRules clippingAt(double norm) {
    UpdateRules rules;
    rules.clipNorm = norm;
    return rules;
}

UpdateRules scaling() {
    UpdateRules rules;
    rules.scalesLoss = true;
    return rules;
}

// Decides `steps` updates with loss scaling, each with this squared norm of the gradients.
void decide(UpdateState& state, double squaredNorm, int steps = 1) {
    for (int step = 0; step < steps; ++step) decideUpdate(state, scaling(), squaredNorm);
}

}  // namespace

TEST_CASE("long gradients are clipped as by clip_grad_norm_") {
    Gradients gradients;
    gradients.decide(clippingAt(1));
    // torch 1.13.1: clip_grad_norm_ with these gradients and max_norm 1.
    CHECK(gradients.state().norm == Approx(2.3815698623657227).epsilon(1e-7));
    CHECK(gradients.taken(gradients.first, 0) == Approx(0.0524863675236702).epsilon(1e-6));
    CHECK(gradients.taken(gradients.first, 5) == Approx(0.3149182200431824).epsilon(1e-6));
    CHECK(gradients.taken(gradients.second, 0) == Approx(-0.2099454700946808).epsilon(1e-6));
    CHECK(gradients.taken(gradients.second, 1) == Approx(0.8397818803787231).epsilon(1e-6));
}

TEST_CASE("short gradients are unchanged") {
    Gradients gradients;
    gradients.decide(clippingAt(100));
    CHECK(gradients.state().norm == Approx(2.3815698623657227).epsilon(1e-7));
    CHECK(gradients.state().factor == 1);
}

TEST_CASE("clipping keeps NaN in a gradient") {
    Gradients gradients;
    gradients.second.floats()[0] = std::numeric_limits<float>::quiet_NaN();
    gradients.decide(clippingAt(1));
    CHECK(std::isnan(gradients.state().norm));
    CHECK(std::isnan(gradients.state().factor));
    CHECK_FALSE(gradients.state().skipped);
    CHECK(gradients.state().updates == 1);
}

TEST_CASE("gradients of a scaled loss are unscaled and clipped together") {
    Gradients gradients;
    gradients.decide(clippingAt(1));
    const UpdateState plain = gradients.state();
    Gradients scaled;
    scaled.start.lossScale = kFirstLossScale;
    for (const Tensor& gradient : {scaled.first, scaled.second}) scaled.backend->scaleLoss(gradient, 1, scaled.block);
    CHECK(scaled.first.floats()[2] == 0.375F * 65536);
    UpdateRules rules = clippingAt(1);
    rules.scalesLoss = true;
    scaled.decide(rules);
    CHECK(scaled.state().norm == plain.norm);  // powers of two are exact
    CHECK(scaled.state().factor == plain.factor / 65536);
}

TEST_CASE("the gradient of the loss contains both the accumulation share and the loss scale") {
    Gradients gradients;
    gradients.backend->scaleLoss(gradients.second, 0.25F, gradients.block);
    CHECK(gradients.second.floats()[1] == 0.5F);
    gradients.start.lossScale = 1024;
    gradients.backend->scaleLoss(gradients.second, 0.25F, gradients.block);
    CHECK(gradients.second.floats()[1] == 128);
}

// The scales below are what torch.cuda.amp.GradScaler() gives: 65536, factors 2 and 0.5, interval 2000.
TEST_CASE("the loss scale halves at an infinite gradient and doubles after 2000 good steps in a row") {
    UpdateState state;
    state.lossScale = kFirstLossScale;
    CHECK(state.lossScale == 65536);
    decide(state, HUGE_VAL);
    CHECK(state.lossScale == 32768);
    decide(state, 1, 1999);
    CHECK(state.lossScale == 32768);
    decide(state, std::numeric_limits<double>::quiet_NaN());
    CHECK(state.lossScale == 16384);
    decide(state, 1, 2000);
    CHECK(state.lossScale == 32768);
    CHECK(state.goodSteps == 0);
    decide(state, 1, 2000);
    CHECK(state.lossScale == 65536);
    CHECK(state.skippedSteps == 2);
    CHECK(state.updates == 5999);  // 6001 steps, of which 2 were skipped
}

TEST_CASE("without float16 the loss scale stays 1 and no step is skipped") {
    UpdateState state;
    for (int step = 0; step < 2000; ++step) decideUpdate(state, clippingAt(1), 4);
    CHECK(state.lossScale == 1);
    decideUpdate(state, clippingAt(1), HUGE_VAL);
    decideUpdate(state, {}, 0);
    CHECK(state.updates == 2002);
    CHECK(state.skippedSteps == 0);
}

TEST_CASE("Adam's corrections and AdamW's decay count updates, not steps") {
    UpdateRules rules = scaling();
    rules.beta1 = 0.9;
    rules.beta2 = 0.99;
    rules.decoupledDecay = 0.5;
    UpdateState state;
    state.lr = 0.25;
    decideUpdate(state, rules, 1);
    CHECK(state.negativeStep == Approx(-2.5));   // 0.25 / (1 - 0.9)
    CHECK(state.rootCorrection == Approx(0.1));  // of 1 - 0.99
    CHECK(state.kept == 0.875F);
    decideUpdate(state, rules, HUGE_VAL);
    CHECK(state.skipped);
    decideUpdate(state, rules, 1);
    CHECK_FALSE(state.skipped);
    CHECK(state.negativeStep == Approx(-0.25 / 0.19));         // 1 - 0.9^2
    CHECK(state.rootCorrection == Approx(std::sqrt(0.0199)));  // 1 - 0.99^2
}

TEST_CASE("a skipped step reports no norm and changes nothing") {
    Gradients gradients;
    gradients.first.floats()[3] = kInfinite;
    gradients.start.lossScale = 4;
    gradients.decide(scaling());
    CHECK(gradients.state().skipped);
    CHECK(std::isnan(gradients.state().norm));
    const Tensor parameter = gradients.backend->allocate({2}, DType::kFloat32);
    const Tensor moment = gradients.backend->allocate({2}, DType::kFloat32);
    const Tensor other = gradients.backend->allocate({2}, DType::kFloat32);
    gradients.backend->sgd(parameter, gradients.second, moment, {.momentum = 0.9}, gradients.block);
    gradients.backend->adam(parameter, gradients.second, moment, other, {}, gradients.block);
    for (const Tensor& tensor : {parameter, moment, other}) CHECK(tensor.floats()[1] == 0);
}
