// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/errors/result.h"

namespace ringside {

// Kinds of work in a pipeline, with the letters of torch.distributed.pipelining: F forward; B backward; or the two
// halves of B, I for the gradient of the input and W for that of the weights.
enum class PipelineWork : char { kForward = 'F', kBackward = 'B', kInput = 'I', kWeights = 'W' };

struct PipelineAction {
    int stage = 0;
    PipelineWork work = PipelineWork::kForward;
    int microBatch = 0;
    // true for the first half of a pair such as "(0F3;3B1)OVERLAP_F_B"; the next action in the list is the second half
    bool withNext = false;

    std::string text() const;  // returns the action in PyTorch's notation, such as "0F3"
    bool operator==(const PipelineAction&) const = default;
};

// Actions of each rank in order. A stage belongs to the rank whose list contains it.
struct Schedule {
    std::vector<std::vector<PipelineAction>> ranks;

    int rankCount() const { return static_cast<int>(ranks.size()); }
    int stageCount() const;
    int microBatchCount() const;
    int rankOf(int stage) const;  // returns the rank to which the stage belongs; -1 if there is none

    bool operator==(const Schedule&) const = default;
};

enum class ScheduleKind { kGpipe, kOneForwardOneBackward, kInterleaved, kZeroBubble, kLoopedBreadthFirst };

struct ScheduleShape {
    ScheduleKind kind = ScheduleKind::kGpipe;
    int ranks = 1;
    int microBatches = 1;
    int stagesPerRank = 1;  // number of stages per rank for interleaved, zero bubble and looped: stage s belongs to
                            // rank s mod ranks
};

// Generates a schedule. Returns a problem for shapes that torch.distributed.pipelining refuses: 1F1B needs at least as
// many micro-batches as ranks, and interleaved schedules process micro-batches in rounds of equal size. Problem::field
// is empty, so that the caller can set it.
Result<Schedule> makeSchedule(const ScheduleShape& shape);

// Returns the name of a kind of schedule: "gpipe", "1f1b", "interleaved", "zero_bubble" or "looped_bfs".
const char* nameOf(ScheduleKind kind);

// scheduleText() writes a schedule in PyTorch's notation, one row of comma-separated actions for each rank;
// parseSchedule() reads it. The parser also accepts blanks between actions. It ignores empty cells, and actions that
// follow from the others: messages, UNSHARD, RESHARD and REDUCE_GRAD. An error text names the row and the cell.
std::string scheduleText(const Schedule& schedule);
Result<Schedule> parseSchedule(const std::string& text);

// Checks that a schedule can run: each stage is on one rank, each micro-batch passes each stage once forward and once
// backward, each W comes after the I of its stage and micro-batch, and no rank waits forever. The problem names the
// first wrong action.
Result<bool> checkSchedule(const Schedule& schedule);

}  // namespace ringside
