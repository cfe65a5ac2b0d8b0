// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/step_recorder.h"
#include "comm/communicator.h"

namespace ringside {

// Returns a device that also records the collectives of the communicator and reports each launch to it. All recordings
// must be destroyed before the communicator.
RecordingDevice withCollectives(RecordingDevice device, Communicator& communicator);

}  // namespace ringside
