// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "telemetry/events/events.h"

namespace ringside {

// One step of all ranks, as far as they told of it.
struct LookedAtStep {
    std::int64_t step = 0;
    std::int64_t epoch = 0;
    std::vector<std::optional<GradientView>> own;  // by rank
    std::vector<std::optional<GradientView>> mean;
    std::vector<std::optional<GradientView>> change;

    // With cells, of the rank that told them; null: not told.
    const GradientView* wholeMean() const;
    const GradientView* wholeChange() const;
    bool hasCells() const;
};

// Whether all replicas had the same weights when they were last compared.
struct ReplicaState {
    std::int64_t step = 0;  // of the last comparison
    bool identical = true;
    std::int64_t sinceStep = 0;   // not identical: the first comparison that said so
    std::string tensor = {};      // there: the first that differs; empty: not known
    std::vector<int> ranks = {};  // that differ from what most ranks hold, now
};

// What is known of a run's replicas, from their checksums and from steps that were looked at; bounded.
class ReplicaData {
  public:
    static constexpr std::size_t kMaxSteps = 1024;
    static constexpr std::size_t kMaxWholeSteps = 8;  // with all cells

    explicit ReplicaData(int worldSize = 0) : m_worldSize(static_cast<std::size_t>(worldSize)) {}

    bool apply(const GradientView& view);
    // A complete set of one step's checksums.
    void compare(const std::map<int, Replica>& replicas);

    std::size_t worldSize() const { return m_worldSize; }
    const std::map<std::int64_t, LookedAtStep>& steps() const { return m_steps; }
    const LookedAtStep* latestWhole() const;  // null: none has cells
    const std::optional<ReplicaState>& state() const { return m_state; }

  private:
    void compareChecksums(const LookedAtStep& step);
    void forgetOld();

    std::size_t m_worldSize;
    std::map<std::int64_t, LookedAtStep> m_steps;
    std::optional<ReplicaState> m_state;
};

}  // namespace ringside
