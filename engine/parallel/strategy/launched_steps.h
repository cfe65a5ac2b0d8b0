// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "backend/backend.h"
#include "parallel/strategy/strategy.h"

namespace ringside {

// Steps that were started on a device that works in parallel with the host, and whose results the host has not read.
// The device copies the results into page-locked memory. Two steps can be in flight, and their results go to two slots
// that are used alternately.
class LaunchedSteps {
  public:
    struct Step {
        std::unique_ptr<ResultSlot> slot;
        StepRequest request;
        std::vector<std::int64_t> rows;  // samples of each batch of the step
        bool hasNorm = false;            // true if the slot contains the norm
    };
    // bytes: capacity of a slot. batches: largest number of batches of a step. There are no slots if the backend's
    // device does not work in parallel with the host.
    LaunchedSteps(Backend& backend, std::size_t bytes, std::size_t batches) {
        for (Step& step : m_steps) {
            step.slot = backend.makeResultSlot(bytes);
            step.rows.reserve(batches);
        }
    }

    bool canRunAhead() const { return m_steps.front().slot != nullptr; }
    // Returns the step that is being launched. The first call of a step empties its slot.
    Step& openStep() {
        Step& step = m_steps[m_launched % m_steps.size()];
        if (m_isOpen) return step;
        RINGSIDE_ASSERT(m_launched - m_read < m_steps.size());
        m_isOpen = true;
        step.slot->begin();
        step.rows.clear();
        return step;
    }
    // Ends the launch of the open step.
    void endLaunch() {
        m_steps[m_launched++ % m_steps.size()].slot->end();
        m_isOpen = false;
    }
    // Blocks until the oldest launched step has finished, and returns it. From then on the step counts as read, and its
    // slot can be used again.
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
