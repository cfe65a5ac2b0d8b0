// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "telemetry/steps/phase.h"

namespace ringside {

// What one rank reports of one step.
struct StepRecord {
    std::int64_t epoch = 0;
    std::int64_t step = 0;     // from 1
    double loss = 0;           // mean over this rank's batch
    double correct = -1;       // a part of 1 for each sequence; -1 for regression
    std::int64_t samples = 0;  // in this rank's batch
    std::int64_t endUs = 0;    // since the run started
    double gradientNorm = 0;   // NaN where not measured
    double learningRate = 0;
    std::int64_t dataUs = -1;  // waited for batches since the step reported before; -1: not measured
    bool traced = false;
    std::array<float, kPhaseCount> phaseNs = {};  // of a traced step
};

// Step records from one producing thread to one consuming thread: no lock, no allocation, never waits.
class StepRing {
  public:
    explicit StepRing(std::size_t capacity);  // rounded up to a power of two

    bool push(const StepRecord& record);  // false when full
    bool pop(StepRecord& record);         // false when empty
    const StepRecord* front() const;      // what pop() would bring, until then; for the consuming thread
    // Records pushed and popped so far.
    std::uint64_t pushed() const { return m_head.load(std::memory_order_acquire); }
    std::uint64_t popped() const { return m_tail.load(std::memory_order_acquire); }

  private:
    std::vector<StepRecord> m_records;
    std::size_t m_mask;
    alignas(64) std::atomic<std::uint64_t> m_head{0};
    alignas(64) std::atomic<std::uint64_t> m_tail{0};
};

}  // namespace ringside
