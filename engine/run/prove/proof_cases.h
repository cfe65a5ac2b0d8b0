// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "config/run_config.h"

namespace ringside {

// An experiment under a strategy, and the case whose bits it must reproduce.
struct ProofCase {
    std::string name;  // name of the case, such as "fsdp:parameters"
    RunConfig config = {};
    std::string reference;  // name of the case with which this one is compared; its own name: the case is a reference
                            // itself
    bool mustBeEqual = true;
    std::string why = {};  // reason why the bits may differ
};

// Returns the cases of an experiment: each strategy with the experiment's number of ranks, and references on a single
// rank. steps: largest number of training steps of a case. Each case trains whole batches of the first epoch only.
// samples: number of samples in an epoch.
std::vector<ProofCase> proofCases(const RunConfig& config, std::int64_t steps, std::int64_t samples);

// Returns the settings of the experiment that no case applies, such as "training.accumulate_steps=4". Settings of
// strategies are not listed, because the cases vary them.
std::vector<std::string> settingsLeftOut(const RunConfig& config);

}  // namespace ringside
