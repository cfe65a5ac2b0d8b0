// SPDX-License-Identifier: Apache-2.0
#include "nn/gradient_clipping.h"

#include <cmath>
#include <limits>

#include "backend/backend.h"
#include "support/catch.h"

using namespace ringside;

namespace {

struct Gradients {
    Gradients() {
        first.gradient = backend->allocate({2, 3}, DType::kFloat32);
        second.gradient = backend->allocate({2}, DType::kFloat32);
        for (int i = 0; i < 6; ++i)
            first.gradient.floats()[static_cast<std::size_t>(i)] = static_cast<float>(i + 1) / 8;
        second.gradient.floats()[0] = -0.5F;
        second.gradient.floats()[1] = 2;
    }
    double clip(double maxNorm) { return clipGradientNorm({&first, &second}, maxNorm, *backend); }

    std::unique_ptr<Backend> backend = makeCpuBackend(1);
    Parameter first{"first", {2, 3}, {}, {}};
    Parameter second{"second", {2}, {}, {}};
};

}  // namespace

TEST_CASE("Long gradients are shortened as by clip_grad_norm_") {
    Gradients gradients;
    // torch 1.13.1: clip_grad_norm_ with these gradients and max_norm 1.
    CHECK(gradients.clip(1) == Approx(2.3815698623657227).epsilon(1e-7));
    CHECK(gradients.first.gradient.floats()[0] == Approx(0.0524863675236702).epsilon(1e-6));
    CHECK(gradients.first.gradient.floats()[5] == Approx(0.3149182200431824).epsilon(1e-6));
    CHECK(gradients.second.gradient.floats()[0] == Approx(-0.2099454700946808).epsilon(1e-6));
    CHECK(gradients.second.gradient.floats()[1] == Approx(0.8397818803787231).epsilon(1e-6));
}

TEST_CASE("Short gradients stay bit for bit what they are") {
    Gradients gradients;
    CHECK(gradients.clip(100) == Approx(2.3815698623657227).epsilon(1e-7));
    CHECK(gradients.first.gradient.floats()[2] == 0.375F);
    CHECK(gradients.second.gradient.floats()[1] == 2);
}

TEST_CASE("A gradient that is no number is not hidden by clipping") {
    Gradients gradients;
    gradients.second.gradient.floats()[0] = std::numeric_limits<float>::quiet_NaN();
    CHECK(std::isnan(gradients.clip(1)));
    CHECK(std::isnan(gradients.first.gradient.floats()[0]));
}
