// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "backend/backend.h"
#include "backend/step_recorder.h"
#include "comm/communicator.h"

namespace ringside {

// Returns a device that also records the calls of the communicator and of its sub-groups into its CUDA graphs, and
// reports each launch of a graph to the communicator. All graphs must be destroyed before the communicator.
RecordingDevice withCollectives(RecordingDevice device, Communicator& communicator);

// Makes a recorder of steps as CUDA graphs, with the collectives of all ranks. Returns null if the device cannot record
// work, or if the communicator's collectives cannot be recorded. If a recording fails, `log` (may be empty) receives a
// line with the reason, once. Backend and communicator must outlive the recorder.
std::unique_ptr<StepRecorder> makeStepRecorder(Backend& backend, Communicator& communicator,
                                               const std::function<void(const std::string&)>& log);

}  // namespace ringside
