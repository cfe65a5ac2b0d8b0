// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "base/result.h"
#include "config/run_config.h"
#include "nn/model.h"

namespace ringside {

// The model a configuration names, from `inputs` values a sample to `outputs`, not yet prepared.
//   mlp         nn.Sequential(Linear, ReLU, Linear, ...): parameters "0.weight", "0.bias", "2.weight", ...
//   toy_linear  a class with self.linear = nn.Linear(inputs, outputs): "linear.weight", "linear.bias"
Result<std::unique_ptr<Model>> makeModel(const ModelConfig& config, std::int64_t inputs, std::int64_t outputs,
                                         Backend& backend);

}  // namespace ringside
