// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

namespace ringside {

// The ring all-reduce (Patarasuk and Yuan 2009) on N ranks' values of one bucket, step by step. The bucket is cut into
// N parts. In each of N-1 steps every rank sends one part to the next rank, which adds it to its own; then each rank
// has one part of the sum, and N-1 more steps hand these round.
class RingSteps {
  public:
    // values[rank]: N parts after one another, as many values of each; as DDP they are divided by N first, unless that
    // is forgotten.
    explicit RingSteps(const std::vector<std::vector<double>>& values, bool divides = true);

    struct Part {
        std::vector<double> values;
        int ranks = 1;         // whose values are in the sum
        bool arrived = false;  // in the last step
        bool leaves = false;   // in the next step
    };
    int ranks() const { return static_cast<int>(m_states.front().size()); }
    int steps() const { return static_cast<int>(m_states.size()) - 1; }
    // After so many steps.
    const Part& part(int step, int rank, int part) const;
    // Which part the rank sends in the step after so many; -1: none is left.
    int sentPart(int step, int rank) const;
    bool isGathering(int step) const { return step >= ranks() - 1; }  // sums are handed round, not made

  private:
    using State = std::vector<std::vector<Part>>;  // by rank, by part
    std::vector<State> m_states;
};

}  // namespace ringside
