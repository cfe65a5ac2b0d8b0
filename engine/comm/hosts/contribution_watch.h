// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ringside {

// A rank whose part of the sums cannot be a gradient, and the reason in words.
struct Suspicion {
    int rank = 0;
    std::string text;
};

// Remembers the largest magnitude of what each rank contributed to the sums of this step and of the step before. Asked
// only when a loss or a weight is no finite number: then it tells a rank that sent garbage from a training that has
// diverged. In a training that diverges the gradients of all ranks grow together, and a rank whose own loss is not
// finite ends the run itself.
class ContributionWatch {
  public:
    // ranks: number in the run of each contributor; own: place of this rank in it.
    ContributionWatch(std::vector<int> ranks, std::size_t own);

    void add(std::size_t contributor, std::span<const float> values);
    void endStep();
    // The contributor that sent values at least a million times as large as those of this rank, or no numbers at all,
    // while the values of this rank were finite. Empty if there is none, or more than one.
    std::optional<Suspicion> suspicion() const;

  private:
    std::optional<Suspicion> suspicionIn(const std::vector<float>& largest) const;

    std::vector<int> m_ranks;
    std::size_t m_own;
    std::vector<float> m_step;    // by contributor; infinite: not all values were finite
    std::vector<float> m_before;  // of the step before
};

}  // namespace ringside
