// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "config/choices.h"
namespace ringside {

// Deliberate mistakes with torch.utils.data.DistributedSampler, each as people make it; all off by default. The
// forgotten set_epoch is sampler.set_epoch = false.
struct PitfallsConfig {
    bool seedPerRank = false;         // every rank shuffles with seed + rank
    bool doubleSharding = false;      // the data is split by rank first, and then the sampler splits it again
    std::int64_t wrongRank = -1;      // every process says it is this rank; -1 = each its own
    std::int64_t wrongWorldSize = 0;  // num_replicas as set by hand; 0 = the true one
    bool shuffleWithSampler = false;  // DataLoader(sampler=..., shuffle=True), which PyTorch refuses

    bool any() const { return *this != PitfallsConfig(); }
    bool operator==(const PitfallsConfig&) const = default;
};

// Deliberate faults of the training's steps, in the same section of the experiment.
struct StepPitfalls {
    std::int64_t slowRank = -1;                        // this rank is late in every step; -1 = none
    DelayedPhase slowPhase = DelayedPhase::kBackward;  // data | forward | backward | optimizer: where
    double slowMs = 50;                                // by how much
    bool earlyExit = false;                            // the last rank leaves one step before the others
    bool sumGradients = false;  // gradients are added up over the ranks and not divided by their number
    bool localMetrics = false;  // each rank validates for itself: nothing is added up

    bool any() const { return slowRank >= 0; }
    bool operator==(const StepPitfalls&) const = default;
};

}  // namespace ringside
