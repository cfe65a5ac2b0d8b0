// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "telemetry/events/events.h"
#include "telemetry/steps/step_grain.h"

namespace ringside {

// Combines the steps of one rank into the windows of a StepGrain and returns them as thinned lines. Values are rounded
// to nine significant digits, which is more than the precision of float32.
class StepWindows {
  public:
    explicit StepWindows(int rank) : m_rank(rank) {}

    // Adds the steps of a frame from the index `from` on. Steps may be single or already thinned; they must be later
    // than all steps added before.
    void add(const StepsFrame& frame, std::size_t from, const StepGrain& grain);
    // Closes the open window, so that it ends with the step that was added last.
    void finish();
    // Returns and removes the completed windows, in as few lines as possible.
    std::vector<StepsFrame> take();

  private:
    struct Open {
        StepGrain::Window window;
        std::int64_t epoch = 0, lastStep = 0, count = 0, samples = 0, endUs = 0, dataUs = 0;
        double learningRate = 0, lossSum = 0, correct = 0, normSum = 0;
        double plainLossSum = 0;  // sum of the losses of steps that report no number of samples
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
