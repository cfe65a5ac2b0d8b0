// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "telemetry/traces/trace_data.h"

namespace ringside {

// One action of a rank's training thread.
struct PlanItem {
    // kWork: computes for a given time. kReady: requests a collective. kWait: waits until a collective has ended.
    // kMeet: waits only until all ranks have arrived at a collective. kSend: sends a message to another stage.
    // kReceive: waits for a message from another stage.
    enum class Kind { kWork, kReady, kWait, kMeet, kSend, kReceive };
    Kind kind = Kind::kWork;
    Phase phase = Phase::kIdle;
    // Duration in nanoseconds. For kWork: length of the computation. For kWait, kMeet and kReceive: time from the event
    // that ends the wait until the thread continues.
    double ns = 0;
    // For kReady, kWait and kMeet: index in RankPlan::collectives. For kSend and kReceive: index in StepPlan::messages.
    // Not used for kWork.
    std::size_t collective = 0;
};

// Part of one rank in one collective. Times are in nanoseconds.
struct PlayedCollective {
    std::size_t meeting = 0;  // index of the collective among all collectives of the step, the same on all of its ranks
    // time until this rank arrives, measured from its request or from the end of the previous collective of the group
    // (the later of the two)
    double delayNs = 0;
    double moveNs = 0;  // time from the arrival of the last rank to the end of the collective on this rank
    double bytes = 0;
    int kind = 0;  // kind of the collective as a number: a CollectiveKind
};

// Message between two stages of a pipeline. Both stages have recorded the message.
struct PlayedMessage {
    // Time from sending to arrival, in nanoseconds; 0 if the message arrived before the receiver began to wait for it.
    double moveNs = 0;
    double bytes = 0;
};

// The actions of one rank in a step.
struct RankPlan {
    std::vector<PlanItem> items;
    PlannedShares planned;
    std::vector<PlayedCollective> collectives;  // collectives of the rank, in the order of their requests
};

// Graph of a step: the actions of all ranks and their dependencies, without absolute times. StepPlayer replays it.
struct StepPlan {
    std::vector<RankPlan> ranks;
    std::vector<PlayedMessage> messages;
    std::size_t arrivals = 0;  // number of collectives in the step, over all ranks
};

// Returns the actions, collectives and messages of a training step. All ranks must have recorded the complete step.
StepPlan planOf(const TracedStep& step);

}  // namespace ringside
