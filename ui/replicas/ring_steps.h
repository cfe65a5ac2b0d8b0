// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

namespace ringside {

// The ring all-reduce (Patarasuk and Yuan 2009) of one bucket of N ranks, step by step. The bucket is split into N
// parts. In each of N-1 steps every rank sends one part to the next rank, which adds it to its own. Each rank then has
// one complete part of the sum, and N-1 more steps pass these parts around the ring.
class RingSteps {
  public:
    // values[rank]: N parts of equal length, one after another. divides: divides all values by N first, as DDP does;
    // false for runs that sum gradients by mistake.
    explicit RingSteps(const std::vector<std::vector<double>>& values, bool divides = true);

    struct Part {
        std::vector<double> values;
        int ranks = 1;         // number of ranks whose values are in the sum
        bool arrived = false;  // true if the part was received in the last step
        bool leaves = false;   // true if the part is sent in the next step
    };
    int ranks() const { return static_cast<int>(m_states.front().size()); }
    int steps() const { return static_cast<int>(m_states.size()) - 1; }
    // Returns the state of a part of a rank after `step` steps.
    const Part& part(int step, int rank, int part) const;
    // Returns the part that the rank sends after `step` steps; -1 after the last step.
    int sentPart(int step, int rank) const;
    bool isGathering(int step) const { return step >= ranks() - 1; }  // returns true in the all-gather phase

  private:
    using State = std::vector<std::vector<Part>>;  // parts of each rank, by rank and part
    std::vector<State> m_states;
};

}  // namespace ringside
