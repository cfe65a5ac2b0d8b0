// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "config/run_config.h"
#include "data/sets/common/dataset.h"

namespace ringside {

// Experiment of a benchmark: settings, and the shape of its synthetic samples. peer_pytorch.py has the same.
struct Workload {
    std::string_view name;
    std::vector<std::string_view> settings;
    SampleShape shape;  // of images and vectors; texts have dataset.context_length characters of 64
};

// Null for a name that there is not.
const Workload* findWorkload(std::string_view name);
std::string workloadNames();

RunConfig configOf(const Workload& workload);
DataSplit madeUpData(const Workload& workload, const RunConfig& config, std::int64_t samples);

}  // namespace ringside
