// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

namespace ringside {

// Lets another thread stop a long draw and follow it. Both pointers may be null, and must outlive the draw.
struct DrawWatch {
    DrawWatch(const std::atomic<bool>* stopFlag = nullptr,  // NOLINT(google-explicit-constructor)
              std::atomic<std::int64_t>* doneCount = nullptr)
        : stop(stopFlag), done(doneCount) {}

    const std::atomic<bool>* stop;    // the draw ends soon after this is set
    std::atomic<std::int64_t>* done;  // places drawn up to now

    bool isStopped() const { return stop != nullptr && *stop; }
    void report(std::int64_t count) const {
        if (done != nullptr) done->store(count, std::memory_order_relaxed);
    }
};

}  // namespace ringside
