// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "nn/layer/layer.h"

namespace ringside {

// Draws weight and bias as torch.nn.Linear and Conv2d do (modules/linear.py, conv.py): the bounds of
// kaiming_uniform_(a=sqrt(5)) and of the bias are both 1/sqrt(fanIn) in float32. fanIn: number of values that
// contribute to one output; 0 gives zeros.
void initialiseUniformly(const std::vector<Parameter*>& parameters, std::int64_t fanIn, TorchGenerator& generator,
                         Backend& backend);

}  // namespace ringside
