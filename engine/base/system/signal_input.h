// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>

#include "base/system/unique_fd.h"

namespace ringside {

// Blocks the signals and returns a descriptor that becomes readable when one of them arrives. Signals that the parent
// process ignores stay ignored, because nohup and a shell's `&` rely on that. Call before any thread is created.
UniqueFd signalInput(std::initializer_list<int> numbers);

// Reads one signal from a descriptor that signalInput() returned. Returns false if no signal has arrived.
bool readSignalFrom(int fd);

}  // namespace ringside
