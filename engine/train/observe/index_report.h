// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "train/interfaces/sample_report.h"
#include "train/interfaces/step_observer.h"
#include "train/interfaces/trainer_observer.h"

namespace ringside {

// Name of the environment variable that selects a SampleReport: auto, always or never. If it is not set, auto is used.
// `ringsidectl run --report-samples` sets it for the workers.
inline constexpr const char* kReportSamplesVariable = "RINGSIDE_REPORT_SAMPLES";

// Reports after each step which samples a rank has trained. With "auto", reports only if the cost is negligible: for
// steps of at least 20 ms and at least 5 us per sample, up to kMaxInAuto sample indices per run. The samples of faster
// steps can be checked only by the hash that each epoch reports.
class IndexReport final : public StepObserver {
  public:
    static constexpr std::int64_t kMinStepUs = 20'000;
    static constexpr std::int64_t kMinSampleUs = 5;
    // maximum number of indices that a rank reports with "auto"; they need about 30 MB in telemetry.jsonl
    static constexpr std::int64_t kMaxInAuto = std::int64_t{1} << 22;

    IndexReport(SampleReport when, int rank, TrainerObserver& observer);

    void endStep(const FinishedStep& step) override {
        reportIndices(step.position.epoch, step.position.step, step.firstSlot, step.indices);
    }
    // Reports the sample indices of the finished step `step`. slot: position of the first index in the list of samples
    // that the rank trains in the epoch.
    void reportIndices(std::int64_t epoch, std::int64_t step, std::int64_t slot, std::span<const std::int64_t> indices);

  private:
    bool isWanted(std::int64_t count);

    const SampleReport m_when;
    const int m_rank;
    TrainerObserver& m_observer;
    std::int64_t m_lastUs = 0;  // end of the previous step, in microseconds
    std::int64_t m_sent = 0;
};

}  // namespace ringside
