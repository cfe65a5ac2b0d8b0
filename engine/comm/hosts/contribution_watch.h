// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ringside {

// Rank whose contribution to a sum has values that cannot be gradients, and the reason as text.
struct Suspicion {
    int rank = 0;
    std::string text;
};

// Largest absolute value that each rank contributed to the sums of this step and of the previous step. If a loss or a
// weight is not finite, these values distinguish a rank that sent invalid data from training that diverges: when
// training diverges, the gradients of all ranks grow together. A rank whose own loss is not finite ends the run without
// this check.
class ContributionWatch {
  public:
    // ranks: number in the run of each rank that contributes to the sums. own: index of this rank in `ranks`.
    ContributionWatch(std::vector<int> ranks, std::size_t own);

    // Records the values that one contributor added to a sum in this step.
    void addValues(std::size_t contributor, std::span<const float> values);
    // Ends the step: the largest values of this step become those of the previous step.
    void endStep();
    // Returns the contributor that sent values at least a million times as large as those of this rank, or values that
    // are not finite, while the values of this rank were finite. Empty if there is no such contributor or more than
    // one.
    std::optional<Suspicion> suspectedContributor() const;

  private:
    std::optional<Suspicion> suspicionIn(const std::vector<float>& largest) const;

    std::vector<int> m_ranks;
    std::size_t m_own;
    // Largest absolute value of each contributor in this step; infinity if a value was not finite.
    std::vector<float> m_step;
    std::vector<float> m_before;  // largest absolute value of each contributor in the previous step
};

}  // namespace ringside
