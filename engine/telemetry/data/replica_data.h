// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "telemetry/events/events.h"

namespace ringside {

// Gradient views of one step, by rank; empty for ranks that did not send one.
struct InspectedStep {
    std::int64_t step = 0;
    std::int64_t epoch = 0;
    std::vector<std::optional<GradientView>> own;     // local gradients of each rank
    std::vector<std::optional<GradientView>> mean;    // averaged gradients of each rank
    std::vector<std::optional<GradientView>> change;  // changes of the weights of each rank

    // Return the first view that contains the gradients' values (cells), not only norms; null if there is none.
    const GradientView* wholeMean() const;
    const GradientView* wholeChange() const;
    bool hasCells() const;
};

// Result of the last comparison of the replicas' weights.
struct ReplicaState {
    std::int64_t step = 0;  // step of the last comparison
    bool identical = true;
    std::int64_t sinceStep = 0;   // step of the first comparison that found a difference; 0 if the replicas are
                                  // identical
    std::string tensor = {};      // name of the first tensor that differed at sinceStep; empty: not known
    std::vector<int> ranks = {};  // ranks that differ from the majority in the last comparison
};

// State of a run's replicas, from their checksums and from gradient views, in bounded memory.
class ReplicaData {
  public:
    static constexpr std::size_t kMaxSteps = 1024;
    static constexpr std::size_t kMaxWholeSteps = 8;  // maximum number of steps whose gradient values (cells) are kept

    explicit ReplicaData(int worldSize = 0) : m_worldSize(static_cast<std::size_t>(worldSize)) {}

    // Adds the gradients that a rank has reported for a step.
    bool apply(const GradientView& view);
    // Compares the checksums of one step; replicas must contain all ranks.
    void compare(const std::map<int, Replica>& replicas);

    std::size_t worldSize() const { return m_worldSize; }
    const std::map<std::int64_t, InspectedStep>& steps() const { return m_steps; }
    const std::optional<ReplicaState>& state() const { return m_state; }

  private:
    void compareChecksums(const InspectedStep& step);
    void dropOldSteps();

    std::size_t m_worldSize;
    std::map<std::int64_t, InspectedStep> m_steps;
    std::optional<ReplicaState> m_state;
};

}  // namespace ringside
