// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "telemetry/events/events.h"
#include "telemetry/steps/step_grain.h"

namespace ringside {

// One rank's steps put together into the windows of a grain, as thinned lines. Values are rounded to nine digits, which
// is more than float32 has.
class StepWindows {
  public:
    explicit StepWindows(int rank) : m_rank(rank) {}

    // The steps of a frame from the index on, single or thinned already; later than all before.
    void add(const StepsFrame& frame, std::size_t from, const StepGrain& grain);
    // No more steps come: the open window ends with the last.
    void finish();
    // The windows complete by now, as few lines as they fit in.
    std::vector<StepsFrame> take();

  private:
    struct Open {
        StepGrain::Window window;
        std::int64_t epoch = 0, lastStep = 0, count = 0, samples = 0, endUs = 0, dataUs = 0;
        double learningRate = 0, lossSum = 0, correct = 0, normSum = 0;
        double plainLossSum = 0;  // of steps without a number of samples
        std::int64_t lossSamples = 0, plainLosses = 0, normCount = 0;
        bool classifies = true, measuresData = true;
        double lossMinimum, lossMaximum, accuracyMinimum, accuracyMaximum, normMinimum, normMaximum;
    };
    void open(const StepGrain::Window& window);
    void addStep(const StepsFrame& frame, std::size_t index);
    void close(std::int64_t last);
    StepsFrame& frameFor(const Open& open);

    int m_rank;
    std::optional<Open> m_open;
    std::vector<StepsFrame> m_done;
};

}  // namespace ringside
