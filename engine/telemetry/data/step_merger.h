// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "telemetry/events/events.h"

namespace ringside {

// Results of one step over all ranks, as means weighted by each rank's number of samples. If the telemetry is thinned
// (several steps are stored as one entry), covers all steps of the entry.
struct GlobalStep {
    std::int64_t step = 0;       // number of the last step of the entry
    std::int64_t firstStep = 0;  // number of the first step of the entry; equal to `step` if there is only one
    std::int64_t steps = 1;      // number of logged steps in the entry
    std::int64_t epoch = 0;
    double loss = 0;
    double accuracy = 0;                      // accuracy, 0 to 1; NaN for regression
    double lossMinimum = 0, lossMaximum = 0;  // lowest and highest loss over ranks and steps
    double accuracyMinimum = 0, accuracyMaximum = 0;
    double gradientNorm = 0;                  // norm of the averaged gradient; NaN if it was not measured
    double normMinimum = 0, normMaximum = 0;  // lowest and highest gradient norm over the steps
    double learningRate = 0;
    std::int64_t samples = 0;  // number of samples that all ranks trained in the entry
    // number of samples that all ranks trained from the start of training to the end of this entry
    std::int64_t samplesSoFar = 0;
    // time at which the last rank finished the step, in microseconds since the start of the run
    std::int64_t timeUs = 0;
};

// Merges the reported steps of all ranks into steps of the whole run, in ascending order. A step is merged once every
// rank has reported it. A step that at least one rank did not report is skipped and counted. Algorithm:
// step_merger.cpp.
class StepMerger {
  public:
    explicit StepMerger(int worldSize, std::int64_t stepsBefore = 0);
    // Adds a "steps" event of one rank, and calls `sink` for each step that every rank has now reported.
    void add(const StepsFrame& frame, const std::function<void(const GlobalStep&)>& sink);
    std::int64_t incompleteSteps() const { return m_incomplete; }

  private:
    struct RankStep {
        std::int64_t step, epoch;
        double loss, gradientNorm, learningRate;
        double correct;
        std::int64_t samples, endUs;
        std::int64_t firstStep, steps;
        double lossMinimum, lossMaximum, accuracyMinimum, accuracyMaximum, normMinimum, normMaximum;
    };
    static RankStep rankStep(const StepsFrame& frame, std::size_t index);
    // Queue that reuses its memory, because thousands of steps per second pass through the queue.
    class Waiting {
      public:
        bool empty() const { return m_first == m_steps.size(); }
        std::size_t size() const { return m_steps.size() - m_first; }
        const RankStep& front() const { return m_steps[m_first]; }
        const RankStep& back() const { return m_steps.back(); }
        void push(const RankStep& step) { m_steps.push_back(step); }
        void pop();

      private:
        std::vector<RankStep> m_steps;
        std::size_t m_first = 0;
    };
    void emitReady(const std::function<void(const GlobalStep&)>& sink);
    GlobalStep popFronts();
    void countSamples(GlobalStep& global);

    std::vector<Waiting> m_waiting;
    std::int64_t m_samplesSoFar = 0;
    std::int64_t m_lastStep = 0;  // number of the last step that was merged or skipped
    std::int64_t m_lastMergedStep = 0;
    std::int64_t m_largestBatch = 0;
    std::int64_t m_incomplete = 0;
};

}  // namespace ringside
