// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

namespace ringside {

// True if a restart may succeed after an end with this exit code. A wrong configuration or a diverged loss would fail
// again.
bool isRestartable(int exitCode);

// Returns the pause before a restart, counted from 1. It begins with `first` and doubles with each restart, up to 30 s.
std::chrono::milliseconds backOffBefore(std::int64_t restart, std::chrono::milliseconds first);

}  // namespace ringside
