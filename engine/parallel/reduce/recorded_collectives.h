// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "backend/backend.h"
#include "backend/step_recorder.h"
#include "comm/communicator.h"

namespace ringside {

// Returns a recording device that also records the calls of the communicator and its sub-groups. Each launch of one of
// its CUDA graphs is reported to the communicator. All graphs must be destroyed before the communicator.
RecordingDevice withCollectives(RecordingDevice device, Communicator& communicator);

// Makes a recorder that records steps, with their collectives, as CUDA graphs. Returns null if the device or the
// communicator does not support recording. If a recording fails, `log`, which may be empty, is called once with the
// reason. Backend and communicator must outlive the recorder.
std::unique_ptr<StepRecorder> makeStepRecorder(Backend& backend, Communicator& communicator,
                                               const std::function<void(const std::string&)>& log);

}  // namespace ringside
