// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <utility>

#include "base/text/number_text.h"
#include "schedule/schedule.h"

namespace ringside {
namespace {

using enum PipelineWork;
using Actions = std::vector<PipelineAction>;

struct NamedKind {
    ScheduleKind kind;
    const char* name;
};
constexpr std::array<NamedKind, 5> kKinds{{{ScheduleKind::kGpipe, "gpipe"},
                                           {ScheduleKind::kOneForwardOneBackward, "1f1b"},
                                           {ScheduleKind::kInterleaved, "interleaved"},
                                           {ScheduleKind::kZeroBubble, "zero_bubble"},
                                           {ScheduleKind::kLoopedBreadthFirst, "looped_bfs"}}};

// Runs all forward passes, then all backward passes (GPipe, Huang et al. 2019).
Actions gpipe(int rank, int microBatches) {
    Actions actions;
    for (const PipelineWork work : {kForward, kBackward})
        for (int m = 0; m < microBatches; ++m) actions.push_back({rank, work, m});
    return actions;
}

// Starts with as many forward passes as there are stages from this rank's stage to the last stage, each for another
// micro-batch. Then alternates between backward and forward passes (PipeDream-Flush, Narayanan et al. 2021).
Actions oneForwardOneBackward(int rank, int ranks, int microBatches) {
    Actions actions;
    const int ahead = std::min(microBatches, ranks - rank);
    int forward = 0;
    int backward = 0;
    while (forward < ahead) actions.push_back({rank, kForward, forward++});
    while (backward < microBatches) {
        actions.push_back({rank, kBackward, backward++});
        if (forward < microBatches) actions.push_back({rank, kForward, forward++});
    }
    return actions;
}

// Runs all micro-batches through each of the rank's stages in turn, then backwards in the opposite order of stages and
// micro-batches (Lamy-Poirier 2022).
Actions loopedBreadthFirst(int rank, const ScheduleShape& shape) {
    Actions actions;
    for (int v = 0; v < shape.stagesPerRank; ++v)
        for (int m = 0; m < shape.microBatches; ++m) actions.push_back({v * shape.ranks + rank, kForward, m});
    for (int v = shape.stagesPerRank; v-- > 0;)
        for (int m = shape.microBatches; m-- > 0;) actions.push_back({v * shape.ranks + rank, kBackward, m});
    return actions;
}

// Generator of Megatron's order over virtual stages (Narayanan et al. 2021). Micro-batches form rounds. A round passes
// forward through all of the rank's stages before the next round starts, and backward through the stages in the
// opposite order. After a warm-up of forward passes only, forward and backward passes alternate.
class Interleaved {
  public:
    Interleaved(const ScheduleShape& shape, int rank, int perRound)
        : m_shape(shape),
          m_rank(rank),
          m_perRound(perRound),
          m_forwards(static_cast<std::size_t>(shape.stagesPerRank)),
          m_backwards(m_forwards) {}

    bool splits() const { return m_shape.kind == ScheduleKind::kZeroBubble; }

    Actions make() {
        const int all = m_shape.microBatches * m_shape.stagesPerRank;
        // Number of forward passes before forward and backward passes alternate (the warm-up). It grows by two for each
        // rank that follows this rank in the pipeline, or by one if backward passes are split into I and W.
        const int perRank = splits() ? 1 : 2;
        const int ahead =
            std::min((m_shape.stagesPerRank - 1) * m_perRound + perRank * (m_shape.ranks - 1 - m_rank), all);
        for (int i = 0; i < all; ++i) {
            forward(i);
            if (i >= ahead) backward(i - ahead);
        }
        for (int i = all - ahead; i < all; ++i) backward(i);
        while (m_weightsDone < m_inputs.size()) weights();
        return std::move(m_actions);
    }

  private:
    void forward(int step) {
        const int local = step / m_perRound % m_shape.stagesPerRank;
        m_actions.push_back({local * m_shape.ranks + m_rank, kForward, m_forwards[static_cast<std::size_t>(local)]++});
    }
    // Rank r delays each W (gradients of weights) by r backward passes, so that the I (gradients of inputs) for which
    // other ranks wait is computed first.
    void backward(int step) {
        const int local = m_shape.stagesPerRank - 1 - step / m_perRound % m_shape.stagesPerRank;
        m_actions.push_back({local * m_shape.ranks + m_rank, splits() ? kInput : kBackward,
                             m_backwards[static_cast<std::size_t>(local)]++});
        if (!splits()) return;
        m_inputs.push_back(m_actions.back());
        if (m_inputs.size() > static_cast<std::size_t>(m_rank)) weights();
    }
    void weights() {
        PipelineAction action = m_inputs[m_weightsDone++];
        action.work = kWeights;
        m_actions.push_back(action);
    }

    const ScheduleShape& m_shape;
    int m_rank;
    int m_perRound;
    std::vector<int> m_forwards;  // number of forward passes generated, by stage of this rank
    std::vector<int> m_backwards;
    Actions m_inputs;
    std::size_t m_weightsDone = 0;
    Actions m_actions;
};

Result<bool> checkShape(const ScheduleShape& shape) {
    RINGSIDE_ASSERT(shape.ranks > 0 && shape.microBatches > 0 && shape.stagesPerRank > 0);
    const int rounds = std::max(1, shape.microBatches / shape.ranks);
    const std::string requested =
        nameOf(shape.kind) + std::string(" with ") + counted(shape.microBatches, "micro-batch");
    if (shape.kind == ScheduleKind::kOneForwardOneBackward && shape.microBatches < shape.ranks)
        return Problem{"",
                       requested + " on " + counted(shape.ranks, "stage") +
                           ": there must be at least as many micro-batches as stages",
                       "use " + std::to_string(shape.ranks) + " or more micro-batches, or gpipe"};
    const bool inRounds = shape.kind == ScheduleKind::kInterleaved || shape.kind == ScheduleKind::kZeroBubble;
    if (inRounds && shape.microBatches % rounds != 0)
        return Problem{"",
                       requested + " on " + counted(shape.ranks, "rank") + ": " + counted(rounds, "round") +
                           " of equal size are not possible",
                       "use " + std::to_string(shape.microBatches / rounds * rounds) + " or " +
                           std::to_string((shape.microBatches / rounds + 1) * rounds) + " micro-batches"};
    return true;
}

}  // namespace

const char* nameOf(ScheduleKind kind) {
    return std::ranges::find(kKinds, kind, &NamedKind::kind)->name;
}

Result<Schedule> makeSchedule(const ScheduleShape& shape) {
    const Result<bool> possible = checkShape(shape);
    if (!possible) return possible.problem();
    const int perRound = shape.microBatches / std::max(1, shape.microBatches / shape.ranks);
    Schedule schedule;
    for (int rank = 0; rank < shape.ranks; ++rank) {
        switch (shape.kind) {
            case ScheduleKind::kGpipe:
                schedule.ranks.push_back(gpipe(rank, shape.microBatches));
                break;
            case ScheduleKind::kOneForwardOneBackward:
                schedule.ranks.push_back(oneForwardOneBackward(rank, shape.ranks, shape.microBatches));
                break;
            case ScheduleKind::kLoopedBreadthFirst:
                schedule.ranks.push_back(loopedBreadthFirst(rank, shape));
                break;
            case ScheduleKind::kInterleaved:
            case ScheduleKind::kZeroBubble:
                schedule.ranks.push_back(Interleaved(shape, rank, perRound).make());
                break;
        }
    }
    return schedule;
}

}  // namespace ringside
