// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "config/run_config.h"

namespace ringside {

// A setting that differs from its default and has no effect in the exported script.
struct UnexportedSetting {
    std::string path = {};   // configuration path, such as "parallel.first_bucket_mb"
    std::string value = {};  // value of the setting, as JSON
    std::string why = {};    // description of the script's behaviour, which does not depend on the setting
};

// Returns the settings of the experiment that have no effect in its exported script, in the order of configFields().
std::vector<UnexportedSetting> unexportedSettings(const RunConfig& config);

// Returns Python comment lines that list the settings and the reasons; empty if there are none.
std::string unexportedComment(const std::vector<UnexportedSetting>& settings);

// Returns a sentence that lists the settings, for display; empty if there are none.
std::string unexportedSentence(const std::vector<UnexportedSetting>& settings);

}  // namespace ringside
