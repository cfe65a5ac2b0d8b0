// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "config/run_config.h"

namespace ringside {

// A setting that differs from its default and that an exported script does not carry over.
struct NotCarried {
    std::string path = {};   // configuration path, such as "parallel.first_bucket_mb"
    std::string value = {};  // value of the setting, as JSON
    std::string why = {};    // behaviour of the script instead
};

// Returns the settings of the experiment that its script does not carry over, in the order of the contract.
std::vector<NotCarried> notCarriedOver(const RunConfig& config);

// Returns Python comment lines that list the settings and the reasons; empty if there are none.
std::string pythonNotCarried(const std::vector<NotCarried>& settings);

// Returns a sentence that lists the settings, for display; empty if there are none.
std::string notCarriedSentence(const std::vector<NotCarried>& settings);

}  // namespace ringside
