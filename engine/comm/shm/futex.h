// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "base/time/clock.h"

namespace ringside {

// Word in shared memory on which threads of several processes can sleep in the kernel.
using FutexWord = std::atomic<std::uint32_t>;
static_assert(FutexWord::is_always_lock_free && sizeof(FutexWord) == 4);

// Sleeps while word == seen, until woken or until the deadline. Returns false at the deadline. May return early
// (spurious wake-up): check the condition again.
bool futexWait(FutexWord& word, std::uint32_t seen, TimePoint deadline);

// Wakes all threads, in all processes, that sleep on the word.
void futexWakeAll(FutexWord& word);

}  // namespace ringside
