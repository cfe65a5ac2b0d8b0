// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "config/run_config.h"
#include "data/dataset.h"

namespace ringside {

// The parts of the exported script that depend on the experiment, as Python text.

std::string pythonText(std::string_view text);  // a string literal
std::string pythonNumber(double value);
std::string pythonBool(bool value);

// build_model(), with PyTorch's modules in the order in which they draw their initial weights.
Result<std::string> pythonModel(const ModelConfig& config, const Dataset& data);
// "torch.optim.SGD(network.parameters(), ...)"
Result<std::string> pythonOptimizer(const RunConfig& config);
// What makes the learning rate follow the epochs, one indented line each; empty where it is constant.
std::string pythonSchedule(const RunConfig& config);
// The head of train_epoch()'s loop: from a batch (or several) to the updated weights and the sums of their losses.
std::string pythonTrainStep(const RunConfig& config);
// The body of losses_and_hits().
std::string pythonLosses(const Dataset& data);

}  // namespace ringside
