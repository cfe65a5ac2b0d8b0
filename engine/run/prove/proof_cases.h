// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "config/run_config.h"

namespace ringside {

// An experiment under a strategy, and the one whose bits it is to end with.
struct ProofCase {
    std::string name;  // "fsdp:parameters"
    RunConfig config = {};
    std::string reference;  // the name of another case; its own: nothing to compare with
    bool mustBeEqual = true;
    std::string why = {};  // why it need not be
};

// What an experiment is tried under: every strategy with as many ranks as it has, and single ranks to compare with.
// steps: at most, within the first epoch's whole batches of `samples` samples.
std::vector<ProofCase> proofCases(const RunConfig& config, std::int64_t steps, std::int64_t samples);

}  // namespace ringside
