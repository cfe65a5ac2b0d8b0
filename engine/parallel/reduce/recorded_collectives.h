// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/step_recorder.h"
#include "comm/communicator.h"

namespace ringside {

// The same device for work with collectives in it: the communicator records them along and hears of every launch. The
// recordings go before the communicator.
RecordingDevice withCollectives(RecordingDevice device, Communicator& communicator);

}  // namespace ringside
