// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "config/run_config.h"
#include "sampling/plan/shard_plan.h"

namespace ringside {

// How the exported script deals its training samples, as Python text.
struct PythonSampler {
    std::string definition = {};            // of a sampler class; empty where PyTorch has one
    std::string make = {};                  // lines of train() that set `sampler`
    std::string setEpoch = {};              // the line at the start of an epoch
    std::string planned = "list(sampler)";  // what this rank gets in epoch 0
    std::string places = {};                // lines of places_of() for a sampler of our own
    bool usesSubset = false;                // torch.utils.data.Subset is needed
};

// readers: what a sampler is told of its readers where they are not all ranks, ", num_replicas=..., rank=...".
PythonSampler pythonSampler(const RunConfig& config, const ShardSpec& spec, const std::string& readers);

}  // namespace ringside
