// SPDX-License-Identifier: Apache-2.0
#include "train/trace/slow_phase.h"

#include <vector>

#include "support/catch.h"

using namespace ringside;
using namespace std::chrono_literals;

namespace {

// Runs one step of a rank. Its backward pass has two parts, as in a pipeline.
void step(SlowPhase& slow, PhaseTrack& track) {
    slow.beginStep();
    for (const Phase phase : {Phase::kForward, Phase::kBackward, Phase::kForward, Phase::kBackward, Phase::kOptimizer})
        track.enter(phase);
}

}  // namespace

TEST_CASE("the slow rank sleeps once per step at the end of its phase, and no other rank does") {
    StepPitfalls pitfalls;
    pitfalls.slowRank = 1;
    pitfalls.slowPhase = DelayedPhase::kBackward;
    pitfalls.slowMs = 2.5;
    for (const int rank : {0, 1}) {
        PhaseTrack track;
        std::vector<std::chrono::microseconds> rests;
        SlowPhase slow(pitfalls, rank, track, [&](std::chrono::microseconds delay) { rests.push_back(delay); });
        step(slow, track);
        step(slow, track);
        const std::vector<std::chrono::microseconds> twice{2500us, 2500us};
        CHECK(rests == (rank == 1 ? twice : std::vector<std::chrono::microseconds>{}));
    }
}
