// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/step_recorder.h"
#include "comm/communicator.h"

namespace ringside {

// Returns a device that also records the collectives of the communicator into its CUDA graphs and reports each launch
// of a graph to the communicator. All graphs must be destroyed before the communicator.
RecordingDevice withCollectives(RecordingDevice device, Communicator& communicator);

}  // namespace ringside
