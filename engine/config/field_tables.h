// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "config/config_fields.h"

namespace ringside {

// The parts of configFields(), a file each.
std::vector<ConfigField> dataFields();      // name, dataset and model
std::vector<ConfigField> parallelFields();  // parallel, sampler, pitfalls and loader
std::vector<ConfigField> strategyFields();  // mesh, pipeline and fsdp
std::vector<ConfigField> trainingFields();  // optimizer, schedule and training
std::vector<ConfigField> telemetryFields();

inline constexpr double kMaxInt32 = 2147483647.0;
#define RINGSIDE_SLOT(member) [](RunConfig& c) -> FieldSlot { return &c.member; }

}  // namespace ringside
