// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "config/run_config.h"

namespace ringside {

// A setting that differs from its default and that an exported script does not carry over.
struct NotCarried {
    std::string path = {};   // "parallel.first_bucket_mb"
    std::string value = {};  // as JSON
    std::string why = {};    // what the script does instead
};

// Returns the settings of the experiment that its script does not carry over, in the order of the contract.
std::vector<NotCarried> notCarriedOver(const RunConfig& config);

// Returns lines of comment that name them, each with the reason; empty where there are none.
std::string pythonNotCarried(const std::vector<NotCarried>& settings);

// Returns a sentence that names them, for people who export; empty where there are none.
std::string notCarriedSentence(const std::vector<NotCarried>& settings);

}  // namespace ringside
