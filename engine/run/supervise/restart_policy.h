// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

namespace ringside {

// True if a restart may succeed after a run has ended with this exit code. False for a wrong configuration or a loss
// that is not finite, because the run would fail again.
bool isRestartable(int exitCode);

// Returns the pause before a restart. restart: number of the restart, counted from 1. The first pause is `first`; each
// further pause is twice as long, at most 30 s.
std::chrono::milliseconds restartDelay(std::int64_t restart, std::chrono::milliseconds first);

}  // namespace ringside
