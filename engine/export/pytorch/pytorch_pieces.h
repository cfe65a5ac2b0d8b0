// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "config/run_config.h"
#include "data/sets/common/dataset.h"

namespace ringside {

// Parts of the exported script that depend on the experiment, as Python text.

std::string pythonText(std::string_view text);  // returns the text as a Python string literal
std::string pythonNumber(double value);
std::string pythonBool(bool value);
std::string pythonList(std::span<const std::int64_t> values);  // returns the values as a Python list, such as "[1, 2]"
// Returns the configuration as a dictionary, one line per section.
std::string pythonConfig(const RunConfig& config);

// Python text of a model.
struct PythonModel {
    // Python definition of the function build_model(). It creates the modules in the order in which Ringside draws
    // their initial weights.
    std::string definition = {};
    bool hasBuffers = false;  // true: the model has running statistics, which the ranks must share before validation
    bool hasDropout = false;  // true: the model has dropout, whose random numbers differ in PyTorch
};
// Returns the Python text of the model for the data set. Returns a problem for settings that do not suit the data.
Result<PythonModel> pythonModel(const ModelConfig& config, const Dataset& data);
// True if the model takes rows of features even if the data are images.
bool takesRows(const ModelConfig& config);
// Returns "torch.optim.SGD(network.parameters(), ...)". spread: uses ZeroRedundancyOptimizer over the ranks.
std::string pythonOptimizer(const RunConfig& config, bool spread = false);
// Returns indented lines that create the learning rate schedulers; empty if the learning rate is constant.
std::string pythonSchedule(const RunConfig& config);
// Mechanism that limits the averaging of gradients to the last batch of a step.
enum class SyncWay { kNoSync, kGradientSync, kNothing };
// Returns the beginning of the loop of train_epoch(): from one batch (or several, with accumulation) to the updated
// weights and the sums of losses. It includes pythonFiniteCheck().
std::string pythonTrainStep(const RunConfig& config, SyncWay way);
// Returns the line that stops training at a loss that is not finite; empty if training continues then.
std::string pythonFiniteCheck(const RunConfig& config);
// Returns the body of the script's function losses_and_correct(), which computes the loss of each sample and whether
// its prediction is correct.
std::string pythonLosses(const Dataset& data);
// Returns the arguments of DataLoader other than batch size, sampler and drop_last: ", num_workers=2, ...".
std::string pythonLoaderOptions(const LoaderConfig& config);

}  // namespace ringside
