// SPDX-License-Identifier: Apache-2.0
#include "nn/layer/uniform_initialisation.h"

#include <cmath>

#include "backend/backend.h"

namespace ringside {

void initialiseUniformly(const std::vector<Parameter*>& parameters, std::int64_t fanIn, TorchGenerator& generator,
                         Backend& backend) {
    const auto bound = fanIn > 0 ? static_cast<float>(1.0 / std::sqrt(static_cast<double>(fanIn))) : 0.0F;
    for (Parameter* parameter : parameters) {
        std::vector<float> values(static_cast<std::size_t>(parameter->shape.count()));
        generator.uniform(values, -bound, bound);
        backend.upload(values.data(), parameter->value);
    }
}

}  // namespace ringside
