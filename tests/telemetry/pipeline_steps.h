// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "telemetry/traces/trace_data.h"

namespace ringside {

inline constexpr std::int64_t kPipelineMs = 1'000'000;
inline constexpr std::size_t kStages = 3;

// Milliseconds of work of each of three ranks in a step of a pipeline with one micro-batch.
struct StageWork {
    std::array<std::int64_t, kStages> data{0, 0, 0};
    std::array<std::int64_t, kStages> forward{1, 1, 1};
    std::array<std::int64_t, kStages> backward{2, 2, 2};
    std::array<std::int64_t, kStages> update{1, 1, 1};
    std::array<PlannedShares, kStages> planned{};
    std::int64_t message = 0;  // duration of each message from one rank to the next
};

// Returns the traces of such a step on all ranks: waiting for the batch, forward passes from the first rank to the
// last, backward passes in the opposite order, the update, and a collective of all ranks that takes no time.
inline std::vector<StepTrace> pipelineStep(std::int64_t step, const StageWork& work) {
    std::array<std::int64_t, kStages> forwardEnd{}, forwardBegin{}, backwardEnd{}, backwardBegin{}, updateEnd{};
    for (std::size_t rank = 0; rank < kStages; ++rank) {
        forwardBegin[rank] = std::max(work.data[rank], rank > 0 ? forwardEnd[rank - 1] + work.message : 0);
        forwardEnd[rank] = forwardBegin[rank] + work.forward[rank];
    }
    for (std::size_t rank = kStages; rank-- > 0;) {
        backwardBegin[rank] = std::max(forwardEnd[rank], rank + 1 < kStages ? backwardEnd[rank + 1] + work.message : 0);
        backwardEnd[rank] = backwardBegin[rank] + work.backward[rank];
        updateEnd[rank] = backwardEnd[rank] + work.update[rank];
    }
    const std::int64_t end = *std::ranges::max_element(updateEnd);
    std::vector<StepTrace> traces(kStages);
    for (std::size_t rank = 0; rank < kStages; ++rank) {
        StepTrace& trace = traces[rank];
        trace.rank = static_cast<int>(rank);
        trace.step = step;
        trace.beginNs = step * end * kPipelineMs;
        trace.lengthNs = end * kPipelineMs;
        trace.planned = work.planned[rank];
        const auto phase = [&trace](Phase name, std::int64_t atMs) {
            trace.phase.push_back(static_cast<std::int64_t>(name));
            trace.at.push_back(atMs * kPipelineMs);
            trace.cpu.push_back(0);
        };
        phase(Phase::kDataWait, 0);
        phase(Phase::kWaiting, work.data[rank]);
        phase(Phase::kForward, forwardBegin[rank]);
        phase(Phase::kWaiting, forwardEnd[rank]);
        phase(Phase::kBackward, backwardBegin[rank]);
        phase(Phase::kOptimizer, backwardEnd[rank]);
        phase(Phase::kWaiting, updateEnd[rank]);
        const auto message = [&trace](std::int64_t number, std::size_t peer, bool sent, std::int64_t at,
                                      std::int64_t to) {
            trace.message.push_back(number);
            trace.messagePeer.push_back(static_cast<std::int64_t>(peer));
            trace.messageBytes.push_back(4096);
            trace.messageSent.push_back(sent ? 1 : 0);
            trace.messageAt.push_back(at * kPipelineMs);
            trace.messageEnded.push_back(to * kPipelineMs);
        };
        // Number of the connection to the next rank; 10 more for backward messages.
        const auto number = static_cast<std::int64_t>(rank);
        if (rank > 0) message(number - 1, rank - 1, false, work.data[rank], forwardBegin[rank]);
        if (rank + 1 < kStages) message(number, rank + 1, true, forwardEnd[rank], forwardEnd[rank]);
        if (rank + 1 < kStages) message(number + 10, rank + 1, false, forwardEnd[rank], backwardBegin[rank]);
        if (rank > 0) message(number + 9, rank - 1, true, backwardEnd[rank], backwardEnd[rank]);
        trace.group = {0};
        trace.collective = {step};
        trace.kind = {0};
        trace.bytes = {8};
        trace.ready = trace.arrived = {updateEnd[rank] * kPipelineMs};
        trace.last = trace.ended = {end * kPipelineMs};
        separateWaitingFromMoving(trace);
    }
    return traces;
}

inline TraceData pipelineSteps(int count, const StageWork& work) {
    TraceData data(static_cast<int>(kStages));
    for (std::int64_t step = 1; step <= count; ++step)
        for (const StepTrace& trace : pipelineStep(step, work)) data.apply(trace);
    return data;
}

}  // namespace ringside
