// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "config/choices.h"
namespace ringside {

// Deliberate mistakes with torch.utils.data.DistributedSampler, all off by default. A missing call of set_epoch is
// sampler.set_epoch = false.
struct PitfallsConfig {
    bool seedPerRank = false;         // true: every rank shuffles with seed + rank
    bool doubleSharding = false;      // true: the data is split by rank first, and then the sampler splits it again
    std::int64_t wrongRank = -1;      // rank that every process passes to the sampler; -1 = its own rank
    std::int64_t wrongWorldSize = 0;  // wrong num_replicas that is passed to the sampler; 0 = the true world size
    bool shuffleWithSampler = false;  // true: DataLoader(sampler=..., shuffle=True), which PyTorch refuses

    bool any() const { return *this != PitfallsConfig(); }
    bool operator==(const PitfallsConfig&) const = default;
};

// Deliberate faults in training steps, in the same section of the experiment.
struct StepPitfalls {
    std::int64_t slowRank = -1;                        // rank that is delayed in every step; -1 = none
    DelayedPhase slowPhase = DelayedPhase::kBackward;  // phase of the delay: data | forward | backward | optimizer
    double slowMs = 50;                                // delay in milliseconds
    bool earlyExit = false;                            // true: the last rank stops one step before the others
    bool sumGradients = false;  // true: gradients are summed over the ranks but not divided by their number
    bool localMetrics = false;  // true: validation results are not summed over the ranks

    bool any() const { return slowRank >= 0; }
    bool operator==(const StepPitfalls&) const = default;
};

}  // namespace ringside
