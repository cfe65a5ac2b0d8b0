// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "telemetry/steps/phase.h"

namespace ringside {

// Report of one rank about one step.
struct StepRecord {
    std::int64_t epoch = 0;
    std::int64_t step = 0;     // number of the step, counted from 1
    double loss = 0;           // loss, as the mean over this rank's batch
    double correct = -1;       // number of correct predictions; a sequence counts as the share of its tokens that are
                               // predicted correctly; -1: regression
    std::int64_t samples = 0;  // number of samples in this rank's batch
    std::int64_t endUs = 0;    // end of the step in microseconds since the run started
    double gradientNorm = 0;   // gradient norm; NaN where not measured
    double learningRate = 0;
    // Microseconds spent waiting for batches since the previous reported step; -1: not measured.
    std::int64_t dataUs = -1;
    bool traced = false;
    std::array<float, kPhaseCount> phaseNs = {};  // time of each phase in nanoseconds, if the step was traced
};

// Queue of step records from one producing thread to one consuming thread. Lock-free: never waits and never allocates.
class StepRing {
  public:
    explicit StepRing(std::size_t capacity);  // creates an empty ring; `capacity` is rounded up to a power of two

    bool push(const StepRecord& record);  // appends the record; returns false if the ring is full
    bool pop(StepRecord& record);         // removes the oldest record; returns false if the ring is empty
    // Returns the record that pop() would return; null if the ring is empty. Called by the consuming thread only.
    const StepRecord* front() const;
    // Return the number of records pushed and popped since construction. Callable from any thread.
    std::uint64_t pushed() const { return m_head.load(std::memory_order_acquire); }
    std::uint64_t popped() const { return m_tail.load(std::memory_order_acquire); }

  private:
    std::vector<StepRecord> m_records;
    std::size_t m_mask;
    alignas(64) std::atomic<std::uint64_t> m_head{0};
    alignas(64) std::atomic<std::uint64_t> m_tail{0};
};

}  // namespace ringside
