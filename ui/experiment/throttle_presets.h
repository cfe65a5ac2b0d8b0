// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/run_config.h"
#include "data/sets/common/dataset.h"

namespace ringside {

enum class ThrottlePreset { Off, FourSmallGpus, SlowNetwork };

// Returns the experiment with simulated devices and links that are slow enough for a person to follow each step. The
// speeds are derived from the model's FLOPs and gradient bytes or, if `data` is null, from those of an MLP for the
// digits data set.
RunConfig withThrottle(RunConfig config, const DataSplit* data, ThrottlePreset preset);

}  // namespace ringside
