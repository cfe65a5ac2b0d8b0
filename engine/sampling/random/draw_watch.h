// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

namespace ringside {

// Flags through which another thread stops a long draw and reads its progress. Both pointers may be null and must
// outlive the draw.
struct DrawWatch {
    DrawWatch(const std::atomic<bool>* stopFlag = nullptr,  // NOLINT(google-explicit-constructor)
              std::atomic<std::int64_t>* doneCount = nullptr)
        : stop(stopFlag), done(doneCount) {}

    const std::atomic<bool>* stop;    // flag that the other thread sets; the draw ends soon after
    std::atomic<std::int64_t>* done;  // number of samples that are already drawn; updated during the draw

    bool isStopped() const { return stop != nullptr && *stop; }
    void report(std::int64_t count) const {
        if (done != nullptr) done->store(count, std::memory_order_relaxed);
    }
};

}  // namespace ringside
