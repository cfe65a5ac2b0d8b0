// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "telemetry/events/events.h"

namespace ringside {

// Findings about a watched run that have not been withdrawn, collected from the run's events. Not thread-safe.
class CurrentFindings {
  public:
    // Applies an event; ignores all events except findings. Returns true if the list has changed.
    bool apply(const Event& event);

    // Returns the latest finding of each code, without the withdrawn findings: mistakes first, then costs, then notes.
    // Findings of the same severity are in the order in which their codes were first reported.
    const std::vector<Finding>& all() const { return m_findings; }

  private:
    static constexpr std::size_t kMaxFindings = 1000;

    std::vector<Finding> m_findings;
};

}  // namespace ringside
