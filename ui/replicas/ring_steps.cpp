// SPDX-License-Identifier: GPL-3.0-or-later
#include "replicas/ring_steps.h"

#include <algorithm>
#include <cstddef>

namespace ringside {

RingSteps::RingSteps(const std::vector<std::vector<double>>& values, bool divides) {
    const auto n = values.size();
    const double divisor = divides ? static_cast<double>(n) : 1;
    State first(n, std::vector<Part>(n));
    for (std::size_t rank = 0; rank < n; ++rank) {
        const std::size_t each = values[rank].size() / std::max<std::size_t>(n, 1);
        for (std::size_t part = 0; part < n; ++part)
            for (std::size_t i = 0; i < each; ++i)
                first[rank][part].values.push_back(values[rank][part * each + i] / divisor);
    }
    m_states.push_back(std::move(first));
    if (n < 2) return;
    for (int step = 0; step < 2 * (static_cast<int>(n) - 1); ++step) {
        State& before = m_states.back();
        for (std::size_t rank = 0; rank < n; ++rank)
            before[rank][static_cast<std::size_t>(sentPart(step, static_cast<int>(rank)))].leaves = true;
        State after = before;
        for (auto& parts : after)
            for (Part& part : parts) part.arrived = part.leaves = false;
        for (std::size_t rank = 0; rank < n; ++rank) {
            const auto sent = static_cast<std::size_t>(sentPart(step, static_cast<int>(rank)));
            const Part& from = before[rank][sent];
            Part& to = after[(rank + 1) % n][sent];
            const bool gathers = isGathering(step);
            for (std::size_t i = 0; i < to.values.size(); ++i)
                to.values[i] = gathers ? from.values[i] : from.values[i] + to.values[i];
            to.ranks = gathers ? from.ranks : from.ranks + to.ranks;
            to.arrived = true;
        }
        m_states.push_back(std::move(after));
    }
}

const RingSteps::Part& RingSteps::part(int step, int rank, int part) const {
    return m_states[static_cast<std::size_t>(step)][static_cast<std::size_t>(rank)][static_cast<std::size_t>(part)];
}

// Rank r sends part r in the first step, and in each later step the part that it received in the step before.
int RingSteps::sentPart(int step, int rank) const {
    const int n = ranks();
    if (step >= 2 * (n - 1)) return -1;
    const int back = isGathering(step) ? step - (n - 1) - 1 : step;
    return ((rank - back) % n + n) % n;
}

}  // namespace ringside
