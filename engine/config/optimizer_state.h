// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "config/run_config.h"

namespace ringside {

// Returns the names of the tensors that the optimizer keeps for each parameter, by the names that PyTorch uses, such as
// "exp_avg". Each has the shape of the parameter.
std::span<const std::string_view> stateTensors(const OptimizerConfig& optimizer);

// True if a run with optimizer `b` can continue with the state of optimizer `a`.
bool haveSameState(OptimizerKind a, OptimizerKind b);

// Returns the name of the class in torch.optim, such as "AdamW".
std::string_view torchClass(OptimizerKind kind);

}  // namespace ringside
