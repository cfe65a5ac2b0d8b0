// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "telemetry/data/trace_data.h"

namespace ringside {

// One thing that a rank's training thread does, in order.
struct PlanItem {
    // kMeet: a wait that is over when all ranks have come to the collective, before it has ended.
    // kSend, kReceive: a message between two stages is handed over; a wait until it is there.
    enum class Kind { kWork, kReady, kWait, kMeet, kSend, kReceive };
    Kind kind = Kind::kWork;
    Phase phase = Phase::kIdle;
    double ns = 0;               // of work; of a wait: from what it waited for to the thread going on
    std::size_t collective = 0;  // of the rank; of work: none; of kSend and kReceive: StepPlan::messages
};

struct PlayedCollective {
    std::size_t meeting = 0;
    double delayNs = 0;  // between its turn and its arrival
    double moveNs = 0;
    double bytes = 0;
    int kind = 0;  // a CollectiveKind
};

// A message between two stages of a pipeline, both of whose ends were recorded.
struct PlayedMessage {
    double moveNs = 0;  // from its sending to its arrival; 0 where it had arrived before its receiver waited for it
    double bytes = 0;
};

struct RankPlan {
    std::vector<PlanItem> items;
    PlannedShares planned;
    std::vector<PlayedCollective> collectives;  // in order
};

// What the ranks do in a step, and where they meet, without when: the graph that is played again.
struct StepPlan {
    std::vector<RankPlan> ranks;
    std::vector<PlayedMessage> messages;
    std::size_t meetings = 0;
};

StepPlan planOf(const TracedStep& step);

}  // namespace ringside
