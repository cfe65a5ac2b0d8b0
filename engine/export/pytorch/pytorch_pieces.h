// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "config/run_config.h"
#include "data/sets/common/dataset.h"

namespace ringside {

// The parts of the exported script that depend on the experiment, as Python text.

std::string pythonText(std::string_view text);  // a string literal
std::string pythonNumber(double value);
std::string pythonBool(bool value);
std::string pythonList(std::span<const std::int64_t> values);  // "[1, 2]"
// The configuration as a dictionary, one line a section.
std::string pythonConfig(const RunConfig& config);

struct PythonModel {
    std::string definition = {};  // build_model(), with modules in the order in which they draw their initial weights
    bool hasBuffers = false;      // running statistics, which the ranks must share before they validate
    bool hasDropout = false;      // draws other numbers in PyTorch
};
Result<PythonModel> pythonModel(const ModelConfig& config, const Dataset& data);
// Whether the model takes rows of features where the data has images.
bool takesRows(const ModelConfig& config);
// "torch.optim.SGD(network.parameters(), ...)"; spread: by ZeroRedundancyOptimizer over the ranks.
Result<std::string> pythonOptimizer(const RunConfig& config, bool spread = false);
// What makes the learning rate follow the epochs, one indented line each; empty where it is constant.
std::string pythonSchedule(const RunConfig& config);
// How a model is told that gradients are averaged only with the last batch of a step.
enum class SyncWay { kNoSync, kGradientSync, kNothing };
// The head of train_epoch()'s loop: from a batch (or several) to the updated weights and the sums of their losses.
// Stops at a loss that is not finite, unless training is to go on.
std::string pythonTrainStep(const RunConfig& config, SyncWay way);
// The last of its lines; empty where training is to go on.
std::string pythonFiniteCheck(const RunConfig& config);
// The body of losses_and_hits().
std::string pythonLosses(const Dataset& data);
// What DataLoader is told besides batch size, sampler and drop_last: ", num_workers=2, ...".
std::string pythonLoaderOptions(const LoaderConfig& config);

}  // namespace ringside
