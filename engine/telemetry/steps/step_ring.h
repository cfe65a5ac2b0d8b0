// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "telemetry/steps/phase.h"

namespace ringside {

// Results of one step on one rank.
struct StepRecord {
    std::int64_t epoch = 0;
    std::int64_t step = 0;  // number of the step, counted from 1
    double loss = 0;        // loss of the step, as the mean over this rank's samples
    // number of correct predictions; in a language model, each sequence adds the share of its tokens that are predicted
    // correctly; -1: regression
    double correct = -1;
    std::int64_t samples = 0;  // number of samples that this rank trained in the step
    std::int64_t endUs = 0;    // end of the step in microseconds since the run started
    double gradientNorm = 0;   // norm of the averaged gradient; NaN if it was not measured
    double learningRate = 0;
    // Time spent waiting for batches since the previous logged step, in microseconds; -1: not measured.
    std::int64_t dataUs = -1;
    bool traced = false;
    std::array<float, kPhaseCount> phaseNs = {};  // time spent in each phase in nanoseconds, if the step was traced
};

// Queue of step records from one producing thread to one consuming thread. Lock-free: never waits and never allocates.
class StepRing {
  public:
    // creates an empty ring with room for `capacity` records, rounded up to a power of two
    explicit StepRing(std::size_t capacity);

    bool push(const StepRecord& record);  // appends the record; returns false if the ring is full
    bool pop(StepRecord& record);         // removes the oldest record; returns false if the ring is empty
    // Returns the oldest record, which the next pop() removes; null if the ring is empty. Called by the consuming
    // thread only.
    const StepRecord* front() const;
    // Numbers of records that have been pushed and popped since construction. Callable from any thread.
    std::uint64_t pushed() const { return m_head.load(std::memory_order_acquire); }
    std::uint64_t popped() const { return m_tail.load(std::memory_order_acquire); }

  private:
    std::vector<StepRecord> m_records;
    std::size_t m_mask;
    alignas(64) std::atomic<std::uint64_t> m_head{0};
    alignas(64) std::atomic<std::uint64_t> m_tail{0};
};

}  // namespace ringside
