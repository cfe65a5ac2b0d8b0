// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "config/run_config.h"
#include "data/sets/common/dataset.h"

namespace ringside {

// Experiment of a benchmark: settings, and the shape of its synthetic samples. peer_pytorch.py contains the same
// experiments.
struct Workload {
    std::string_view name;
    std::vector<std::string_view> settings;
    SampleShape shape;  // shape of images and vectors; texts have dataset.context_length characters out of 64
};

// Returns the workload of this name, or null if there is none.
const Workload* findWorkload(std::string_view name);
std::string workloadNames();

RunConfig configOf(const Workload& workload);
DataSplit madeUpData(const Workload& workload, const RunConfig& config, std::int64_t samples);

}  // namespace ringside
