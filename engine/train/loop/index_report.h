// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "train/parts/trainer_observer.h"

namespace ringside {

// auto, always or never; auto when not set. `ringsidectl run --report-samples` sets it for the workers.
inline constexpr const char* kReportSamplesVariable = "RINGSIDE_REPORT_SAMPLES";

// Tells step by step which samples a rank trained on. "auto" does so only while it costs next to nothing: after steps
// of at least 20 ms and 5 us for each sample, and up to kMostInAuto samples of a run; faster runs are known by their
// hash.
class IndexReport {
  public:
    static constexpr std::int64_t kLeastStepUs = 20'000;
    static constexpr std::int64_t kLeastSampleUs = 5;
    static constexpr std::int64_t kMostInAuto = std::int64_t{1} << 22;  // some 30 MB of telemetry.jsonl

    // when: auto, always or never.
    IndexReport(const std::string& when, int rank, TrainerObserver& observer);

    // Step `step` has ended; the rank trained `indices`, of which the first stood at `slot` of its list.
    void stepDone(std::int64_t epoch, std::int64_t step, std::int64_t slot, std::span<const std::int64_t> indices);

  private:
    bool isWanted(std::int64_t count);

    const bool m_always;
    const bool m_never;
    const int m_rank;
    TrainerObserver& m_observer;
    std::int64_t m_lastUs = 0;  // when the step before ended
    std::int64_t m_sent = 0;
};

}  // namespace ringside
