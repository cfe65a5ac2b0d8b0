// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "config/run_config.h"
#include "sampling/plan/shard_plan.h"

namespace ringside {

// Python text that assigns training samples to ranks in the exported script.
struct PythonSampler {
    std::string definition = {};            // definition of the sampler class; empty if PyTorch has it
    std::string make = {};                  // lines of train() that set `sampler`
    std::string setEpoch = {};              // line at the start of an epoch that calls set_epoch()
    std::string planned = "list(sampler)";  // Python expression for the samples of this rank in epoch 0
    std::string positions = {};             // lines of the script's function positions_of() for the sampler class in
                                            // `definition`
    bool usesSubset = false;                // true: torch.utils.data.Subset is imported
};

// Returns the text for a sampler. readers: arguments ", num_replicas=..., rank=..." of the sampler if the data-parallel
// group is not all ranks; otherwise empty.
PythonSampler pythonSampler(const RunConfig& config, const ShardSpec& spec, const std::string& readers);

}  // namespace ringside
