// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/run_config.h"
#include "data/sets/common/dataset.h"

namespace ringside {

enum class ThrottlePreset { Off, FourSmallGpus, SlowNetwork };

// Returns the experiment with devices and links so slow that a person can watch its steps. The speeds are chosen from
// the FLOPs and gradient bytes of the model or, without data, of an MLP on the digits data set.
RunConfig withThrottle(RunConfig config, const DataSplit* data, ThrottlePreset preset);

}  // namespace ringside
