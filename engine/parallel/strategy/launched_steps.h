// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "backend/backend.h"
#include "parallel/strategy/strategy.h"

namespace ringside {

// Steps that were launched on a device that works in parallel with the host, and whose results the host has not read
// yet. The device copies the results of each step to page-locked memory (a slot). There are two slots, which are used
// alternately, so that at most two steps can be in flight.
class LaunchedSteps {
  public:
    struct Step {
        std::unique_ptr<ResultSlot> slot;
        StepRequest request;
        std::vector<std::int64_t> rows;  // number of samples of each batch of the step
        bool hasNorm = false;            // true if the slot contains the gradient norm
    };
    // bytes: size of a slot. batches: maximum number of batches in a step. If the device does not work in parallel with
    // the host, no slots are allocated, and no steps can be launched.
    LaunchedSteps(Backend& backend, std::size_t bytes, std::size_t batches) {
        for (Step& step : m_steps) {
            step.slot = backend.makeResultSlot(bytes);
            step.rows.reserve(batches);
        }
    }

    bool canRunAhead() const { return m_steps.front().slot != nullptr; }
    // Returns the step whose launch has begun and not ended. If there is none, begins a new step with an empty slot.
    Step& openStep() {
        Step& step = m_steps[m_launched % m_steps.size()];
        if (m_isOpen) return step;
        RINGSIDE_ASSERT(m_launched - m_read < m_steps.size());
        m_isOpen = true;
        step.slot->begin();
        step.rows.clear();
        return step;
    }
    // Ends the launch of the step that openStep() returned.
    void endLaunch() {
        m_steps[m_launched++ % m_steps.size()].slot->end();
        m_isOpen = false;
    }
    // Blocks until the oldest launched step has finished, and returns it. The next launch may use its slot again.
    Step& finishOldest() {
        RINGSIDE_ASSERT(m_read < m_launched);
        Step& step = m_steps[m_read++ % m_steps.size()];
        step.slot->wait();
        return step;
    }

  private:
    std::array<Step, 2> m_steps;
    std::size_t m_launched = 0;
    std::size_t m_read = 0;
    bool m_isOpen = false;
};

}  // namespace ringside
