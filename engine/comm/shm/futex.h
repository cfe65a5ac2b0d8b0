// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "base/time/clock.h"

namespace ringside {

// A word in memory shared between processes on which the kernel can put a thread to sleep.
using FutexWord = std::atomic<std::uint32_t>;
static_assert(FutexWord::is_always_lock_free && sizeof(FutexWord) == 4);

// Sleeps while word == seen, until woken or the deadline. False at the deadline. Wakes spuriously: check again.
bool futexWait(FutexWord& word, std::uint32_t seen, TimePoint deadline);

void futexWakeAll(FutexWord& word);

}  // namespace ringside
