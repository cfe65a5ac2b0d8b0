// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/run_config.h"
#include "data/sets/common/dataset.h"

namespace ringside {

enum class PacePreset { Off, FourSmallGpus, SlowNetwork };

// The experiment on devices and links whose steps can be watched: their speed is chosen by what this model has to
// compute and to send. data: null where it is not known yet; then an MLP of digits is taken.
RunConfig withPace(RunConfig config, const DataSplit* data, PacePreset preset);

}  // namespace ringside
