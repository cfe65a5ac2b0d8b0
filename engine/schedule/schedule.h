// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/errors/result.h"

namespace ringside {

// What a rank does in a pipeline, under the letters of torch.distributed.pipelining: F forward, B backward, or its two
// halves: I by the input, W by the weights.
enum class PipelineWork : char { kForward = 'F', kBackward = 'B', kInput = 'I', kWeights = 'W' };

struct PipelineAction {
    int stage = 0;
    PipelineWork work = PipelineWork::kForward;
    int microBatch = 0;
    bool withNext = false;  // one of PyTorch's pairs, "(0F3;3B1)OVERLAP_F_B": its second half follows

    std::string text() const;  // "0F3"
    bool operator==(const PipelineAction&) const = default;
};

// A list of actions for each rank. Every stage belongs to the rank in whose list it stands.
struct Schedule {
    std::vector<std::vector<PipelineAction>> ranks;

    int rankCount() const { return static_cast<int>(ranks.size()); }
    int stageCount() const;
    int microBatchCount() const;
    int rankOf(int stage) const;  // -1 when no rank has it

    bool operator==(const Schedule&) const = default;
};

enum class ScheduleKind { kGpipe, kOneForwardOneBackward, kInterleaved, kZeroBubble, kLoopedBreadthFirst };

struct ScheduleShape {
    ScheduleKind kind = ScheduleKind::kGpipe;
    int ranks = 1;
    int microBatches = 1;
    int stagesPerRank = 1;  // interleaved, zero bubble, looped: stage s belongs to rank s mod ranks
};

// Why there is none, as torch.distributed.pipelining refuses it: interleaved schedules deal micro-batches in rounds,
// which have to be equal. The problem's field is empty.
Result<Schedule> makeSchedule(const ScheduleShape& shape);

// "gpipe", "1f1b", "interleaved", "zero_bubble", "looped_bfs".
const char* nameOf(ScheduleKind kind);

// PyTorch's notation, a row of comma-separated actions for each rank. Reading also takes blanks between actions, and
// leaves out empty cells and what is implied: messages, UNSHARD, RESHARD and REDUCE_GRAD. The problem names row and
// cell.
std::string scheduleText(const Schedule& schedule);
Result<Schedule> parseSchedule(const std::string& text);

// Whether it can be run: every stage on one rank, each micro-batch once forward and once backward through each stage,
// weights after inputs, and no rank waits for ever. The problem names the first action that is wrong.
Result<bool> checkSchedule(const Schedule& schedule);

// The same for the first `count` micro-batches: a last, smaller batch.
Schedule withFirstMicroBatches(const Schedule& schedule, int count);

}  // namespace ringside
