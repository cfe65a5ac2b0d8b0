// SPDX-License-Identifier: Apache-2.0
#include "parallel/mesh/stage_messages.h"

#include <algorithm>

#include "backend/backend.h"

namespace ringside {
namespace {

CommBuffer floatsOf(const Tensor& tensor) {
    return {tensor.data, static_cast<std::size_t>(tensor.count()), CommType::kFloat32};
}

}  // namespace

// Returns the trace entry of a message. Its number identifies the message within the step: the two stages, the
// direction, and the micro-batch.
MessageStamp StageMessages::stampOf(const PipelineStage& stage, const PipelineStage::Slot& slot, const Tensor& tensor,
                                    PipelineWork work, bool isSent) const {
    constexpr std::int64_t kMicroBatches = std::int64_t{1} << 24;
    const bool isForward = work == PipelineWork::kForward;
    const std::size_t peer = isForward == isSent ? stage.number() + 1 : stage.number() - 1;
    const auto edge = static_cast<std::int64_t>(std::min(stage.number(), peer));
    return {.peer = m_groups.layout().rankAtStage(m_dependencies.plan.rankOfStage[peer]),
            .number = (2 * edge + (isForward ? 0 : 1)) * kMicroBatches + m_earlier + slot.microBatch,
            .bytes = static_cast<std::int64_t>(floatsOf(tensor).bytes()),
            .isSent = isSent};
}

Tensor StageMessages::inputOf(PipelineStage& stage, PipelineStage::Slot& slot, const Batch& batch) {
    if (stage.isFirst()) return batch.features;
    Communicator* const edge = m_groups.forwardEdge(stage.number() - 1);
    if (!edge) return m_stages.findStage(stage.number() - 1)->slotOf(slot.microBatch).y;
    const Tensor x = stage.incomingInput(slot, batch.rows());
    const PhaseScope scope(m_dependencies.phase, Phase::kWaiting);
    const MessageScope message(m_dependencies.trace, stampOf(stage, slot, x, PipelineWork::kForward, false));
    edge->recvAsync(floatsOf(x), 0).wait();
    return x;
}

void StageMessages::sendOutput(PipelineStage& stage, PipelineStage::Slot& slot) {
    Communicator* const edge = m_groups.forwardEdge(stage.number());
    if (!edge) return;
    const PhaseScope scope(m_dependencies.phase,
                           Phase::kWaiting);  // the forward pass has ended; the time for sending counts as waiting
    const MessageScope message(m_dependencies.trace, stampOf(stage, slot, slot.y, PipelineWork::kForward, true));
    slot.sentForward = edge->sendAsync(floatsOf(slot.y), 1);
}

Tensor StageMessages::gradientFor(PipelineStage& stage, PipelineStage::Slot& slot) {
    const Tensor gradient = stage.incomingGradient(slot);
    Communicator* const edge = m_groups.backwardEdge(stage.number());
    // If there is no group for messages, the next stage is on this rank, too, and has already written its gradient into
    // this tensor.
    if (!edge) return gradient;
    const PhaseScope scope(m_dependencies.phase, Phase::kWaiting);
    const MessageScope message(m_dependencies.trace, stampOf(stage, slot, gradient, PipelineWork::kBackward, false));
    edge->recvAsync(floatsOf(gradient), 0).wait();
    return gradient;
}

void StageMessages::sendGradient(PipelineStage& stage, PipelineStage::Slot& slot) {
    if (stage.isFirst()) return;
    const std::size_t before = stage.number() - 1;
    if (Communicator* const edge = m_groups.backwardEdge(before)) {
        const PhaseScope scope(m_dependencies.phase, Phase::kWaiting);
        const MessageScope message(m_dependencies.trace,
                                   stampOf(stage, slot, slot.gradX, PipelineWork::kBackward, true));
        slot.sentBackward = edge->sendAsync(floatsOf(slot.gradX), 1);
        return;
    }
    PipelineStage& other = *m_stages.findStage(before);
    const Tensor to = other.incomingGradient(other.slotOf(slot.microBatch));
    Tensor from = slot.gradX;
    from.shape = to.shape;
    m_dependencies.backend.copy(from, to);
}

}  // namespace ringside
