// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "telemetry/steps/phase.h"
#include "train/interfaces/step_sums.h"

namespace ringside {

// Position of a step that a rank trains: its number and its epoch.
struct StepPosition {
    std::int64_t step = 0;   // number of the step, from 1
    std::int64_t epoch = 0;  // number of the epoch, counted from 0
};

// Results of a step, after its update of the weights. Valid only during StepObserver::endStep().
struct FinishedStep {
    StepPosition position;
    // position of the step's first sample in the list of samples that the rank trains in the epoch
    std::int64_t firstSlot = 0;
    std::span<const std::int64_t> indices = {};  // dataset indices of the step's samples, in order
    std::int64_t lastRows = 0;                   // number of samples of the step's last batch
    // time at which the step's last batch was ready, in microseconds since the start of the run
    std::int64_t readyUs = 0;
    const StepSums& sums;                    // sums of loss and correct predictions over the step's samples
    double gradientNorm = 0;                 // norm of the averaged gradient; see StepResult
    std::optional<bool> controlSignal = {};  // signal that rank 0 sent in the step; see StepResult::signal
};

// Observer of the steps of one rank. Must not change their results. Called in the training thread.
//
// If steps are launched before the results of earlier ones are read, beginStep() and phaseEnded() of step k + 1 are
// called before endStep() of step k. A step that is traced, inspected or single-stepped ends before the next one
// begins.
class StepObserver {
  public:
    virtual ~StepObserver() = default;
    // Called before the step fetches its first batch.
    virtual void beginStep(StepPosition /*position*/) {}
    // Called at the end of each phase of the step, in this order: data, forward, backward, moving (data is sent between
    // ranks), optimizer. Strategies that run the step as a CUDA graph do not report forward, backward and moving. If
    // training.accumulate_steps is above 1, forward ends once per micro-batch, before the end of data.
    virtual void phaseEnded(Phase /*phase*/, StepPosition /*position*/) {}
    virtual void endStep(const FinishedStep& /*step*/) {}
};

// List of observers. beginStep() is called in the order of the list. phaseEnded() and endStep() are called in reverse
// order, so that the first observer starts first and ends last.
class StepObservers {
  public:
    // Creates an observer at the end of the list. The returned reference is valid as long as the list exists.
    template <class Observer, class... Arguments>
    Observer& add(Arguments&&... arguments) {
        auto made = std::make_unique<Observer>(std::forward<Arguments>(arguments)...);
        Observer& added = *made;
        m_observers.push_back(&added);
        m_owned.push_back(std::move(made));
        return added;
    }
    // Adds an observer that the caller owns and that must outlive the list.
    void addReference(StepObserver& observer) { m_observers.push_back(&observer); }

    void beginStep(StepPosition position) {
        m_position = position;
        for (StepObserver* observer : m_observers) observer->beginStep(position);
    }
    void phaseEnded(Phase phase) {
        for (auto at = m_observers.rbegin(); at != m_observers.rend(); ++at) (*at)->phaseEnded(phase, m_position);
    }
    void endStep(const FinishedStep& step) {
        for (auto at = m_observers.rbegin(); at != m_observers.rend(); ++at) (*at)->endStep(step);
    }

  private:
    StepPosition m_position;
    std::vector<std::unique_ptr<StepObserver>> m_owned;
    std::vector<StepObserver*> m_observers;
};

}  // namespace ringside
