// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "telemetry/data/run_data.h"

namespace ringside {

// Text of the complete epochs of a run, one line each, for terminals and job outputs: "epoch 2 of 6    train loss
// 0.3122 accuracy  91.20 %    validation loss ...". Runs of more than 200 epochs print at most ten lines a second.
class EpochLines {
  public:
    // Returns the lines of the epochs that are complete since the last call.
    std::vector<std::string> takeLines(const RunData& run, std::chrono::steady_clock::time_point now);

  private:
    std::size_t m_taken = 0;  // number of complete epochs whose lines have been returned
    std::chrono::steady_clock::time_point m_lastAt{};
};

// True if the displayed validation results also count the samples that PyTorch's DistributedSampler repeats to give all
// ranks the same number (training.validate: padded).
bool isPaddingCountedInValidation(const RunData& run);

}  // namespace ringside
