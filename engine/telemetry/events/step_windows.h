// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "telemetry/events/events.h"
#include "telemetry/steps/step_grain.h"

namespace ringside {

// Combines the steps of one rank into windows (ranges of steps that a StepGrain defines) and returns one entry per
// window, as thinned lines. Rounds values to nine significant digits, which exceeds the precision of float32.
class StepWindows {
  public:
    explicit StepWindows(int rank) : m_rank(rank) {}

    // Adds the steps of a frame, starting at index `from`. The frame may contain single steps or the entries of a
    // thinned line. All added steps must be in ascending order.
    void add(const StepsFrame& frame, std::size_t from, const StepGrain& grain);
    // Ends the current window at the last added step.
    void finish();
    // Returns the completed windows in as few lines as possible, and removes them from this object.
    std::vector<StepsFrame> take();

  private:
    struct Open {
        StepGrain::Window window;
        std::int64_t epoch = 0, lastStep = 0, count = 0, samples = 0, endUs = 0, dataUs = 0;
        double learningRate = 0, lossSum = 0, correct = 0, normSum = 0;
        double plainLossSum = 0;  // sum of the losses of steps that report a loss but no number of samples
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
