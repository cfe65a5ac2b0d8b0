// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "telemetry/traces/trace_data.h"

namespace ringside {

// One action of a rank's training thread.
struct PlanItem {
    // kWork: computation for a given time. kReady: a collective is requested. kWait: waits until a collective has
    // ended. kMeet: waits only until all ranks have arrived at a collective. kSend: hands over a message to another
    // stage. kReceive: waits for a message from another stage.
    enum class Kind { kWork, kReady, kWait, kMeet, kSend, kReceive };
    Kind kind = Kind::kWork;
    Phase phase = Phase::kIdle;
    // Duration in nanoseconds. kWork: length of the computation. kWait, kMeet, kReceive: time from the event that ends
    // the wait until the thread continues.
    double ns = 0;
    // kReady, kWait, kMeet: index of the collective among the rank's collectives. kSend, kReceive: index in
    // StepPlan::messages. kWork: not used.
    std::size_t collective = 0;
};

// One collective of one rank. Times in nanoseconds.
struct PlayedCollective {
    std::size_t meeting = 0;  // number of the collective in the step, the same on all of its ranks
    double delayNs = 0;       // time until this rank arrives, from the later of its request and the end of the group's
                              // previous collective
    double moveNs = 0;        // time from the last rank's arrival to the end of the collective
    double bytes = 0;
    int kind = 0;  // kind of the collective as a number: a CollectiveKind
};

// A message between two stages of a pipeline of which both ends were recorded.
struct PlayedMessage {
    // Time from sending to arrival in nanoseconds; 0 if the receiver did not have to wait for the message.
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
    std::size_t arrivals = 0;  // number of collectives in the step
};

// Returns the work and the messages of a completely recorded training step.
StepPlan planOf(const TracedStep& step);

}  // namespace ringside
