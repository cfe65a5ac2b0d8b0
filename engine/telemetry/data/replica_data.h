// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "telemetry/events/events.h"

namespace ringside {

// Gradient views (GradientView events) of one step. Each list has one entry per rank, which is empty if the rank sent
// no view.
struct InspectedStep {
    std::int64_t step = 0;
    std::int64_t epoch = 0;
    std::vector<std::optional<GradientView>> own;     // local gradient of each rank
    std::vector<std::optional<GradientView>> mean;    // averaged gradient on each rank
    std::vector<std::optional<GradientView>> change;  // change of the weights by the update on each rank

    // meanWithCells() and changeWithCells() return the first view that contains cells (values of the vector) and not
    // only norms; null if there is none.
    const GradientView* meanWithCells() const;
    const GradientView* changeWithCells() const;
    bool hasCells() const;
};

// Result of the last comparison of the replicas' weights.
struct ReplicaState {
    std::int64_t step = 0;  // step of the last comparison
    bool identical = true;
    // step of the first comparison that found the present difference; 0 if the replicas are identical
    std::int64_t sinceStep = 0;
    // name of the first tensor that differed in the comparison after step sinceStep; empty: not known
    std::string tensor = {};
    std::vector<int> ranks = {};  // ranks whose checksum differed from that of most ranks in the last comparison
};

// Gradient views of a run and the result of comparing its replicas, in bounded memory. Replicas are ranks with the same
// weights; they are compared by their checksums.
class ReplicaData {
  public:
    static constexpr std::size_t kMaxSteps = 1024;
    // maximum number of steps for which the cells of gradient views are kept, not only the norms
    static constexpr std::size_t kMaxWholeSteps = 8;

    explicit ReplicaData(int worldSize = 0) : m_worldSize(static_cast<std::size_t>(worldSize)) {}

    // Adds the view that a rank sent for one step. Returns true if the state has changed.
    bool apply(const GradientView& view);
    // Compares the checksums that the ranks reported for one step. `replicas` must contain all ranks.
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
