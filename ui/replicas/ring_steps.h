// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

namespace ringside {

// States of a ring all-reduce (Patarasuk and Yuan 2009) among N ranks, from the local values to the result. Each rank
// splits its bucket of values into N parts. In each of the first N-1 steps every rank sends one part to the next rank,
// which adds the received values to its own. Each rank then has one complete part of the sum, and N-1 more steps pass
// these complete parts around the ring.
class RingSteps {
  public:
    // values[rank]: the rank's N parts of equal length, one after another. divides: true to divide all values by N
    // before the first step, as DDP does; false for runs that sum gradients by mistake.
    explicit RingSteps(const std::vector<std::vector<double>>& values, bool divides = true);

    struct Part {
        std::vector<double> values;
        int ranks = 1;         // number of ranks whose values are in the sum
        bool arrived = false;  // true if the rank received the part in the step of the ring that led to this state
        bool leaves = false;   // true if the rank sends the part in the next step of the ring
    };
    int ranks() const { return static_cast<int>(m_states.front().size()); }
    int steps() const { return static_cast<int>(m_states.size()) - 1; }
    // Returns the state of one part on one rank after `step` steps of the ring; step 0 is the state before the first
    // step.
    const Part& part(int step, int rank, int part) const;
    // Returns the index of the part that the rank sends after `step` completed steps of the ring; -1 after the last
    // one.
    int sentPart(int step, int rank) const;
    // True if the step of the ring after `step` completed steps belongs to the all-gather phase.
    bool isGathering(int step) const { return step >= ranks() - 1; }

  private:
    using State = std::vector<std::vector<Part>>;  // parts of all ranks, indexed by rank and part
    std::vector<State> m_states;
};

}  // namespace ringside
