// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "nn/layer/layer.h"

namespace ringside {

// Draws weight and bias as torch.nn.Linear and Conv2d do (modules/linear.py, conv.py): kaiming_uniform_(a=sqrt(5)) and
// the bias' bound both come to 1/sqrt(fanIn) in float32. fanIn: values that come into one output; 0 gives zeros.
void initialiseUniformly(const std::vector<Parameter*>& parameters, std::int64_t fanIn, TorchGenerator& generator,
                         Backend& backend);

}  // namespace ringside
