// SPDX-License-Identifier: Apache-2.0
#include "nn/gradient_clipping.h"

#include <cmath>

#include "backend/backend.h"

namespace ringside {

// As there: each gradient's norm in float32, then the norm of these norms, then a coefficient of at most 1.
double clipGradientNorm(const std::vector<Parameter*>& parameters, double maxNorm, Backend& backend) {
    double squares = 0;
    for (const Parameter* parameter : parameters) {
        const auto norm = static_cast<float>(std::sqrt(backend.squaredNorm(parameter->gradient)));
        squares += static_cast<double>(norm) * static_cast<double>(norm);
    }
    const auto total = static_cast<float>(std::sqrt(squares));
    const float wanted = static_cast<float>(maxNorm) / (total + 1e-6F);
    const float coefficient = wanted > 1 ? 1 : wanted;  // NaN stays
    if (coefficient != 1)
        for (const Parameter* parameter : parameters) backend.scale(parameter->gradient, coefficient);
    return static_cast<double>(total);
}

}  // namespace ringside
