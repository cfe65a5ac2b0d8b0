// SPDX-License-Identifier: Apache-2.0
#include "run/record/repeat_filter.h"

#include <algorithm>
#include <vector>

namespace ringside {
namespace {

template <class T>
void dropFirst(std::vector<T>& column, std::size_t count) {
    if (!column.empty()) column.erase(column.begin(), column.begin() + static_cast<std::ptrdiff_t>(count));
}

}  // namespace

std::optional<StepsFrame> RepeatFilter::withoutRepeats(const Event& event) const {
    const auto* frame = std::get_if<StepsFrame>(&event);
    const auto recorded = frame == nullptr ? m_ranks.end() : m_ranks.find(frame->rank);
    if (recorded == m_ranks.end() || frame->step.empty() || frame->step.front() > recorded->second.step) return {};
    const auto fresh = std::upper_bound(frame->step.begin(), frame->step.end(), recorded->second.step);
    const auto old = static_cast<std::size_t>(fresh - frame->step.begin());
    StepsFrame rest = *frame;
    dropFirst(rest.step, old);
    dropFirst(rest.loss, old);
    dropFirst(rest.correct, old);
    dropFirst(rest.samples, old);
    dropFirst(rest.endUs, old);
    dropFirst(rest.gradientNorm, old);
    dropFirst(rest.dataUs, old);
    // Drops the phase times of all steps of the frame, because the frame does not contain the step of each
    // time.
    rest.traced.clear();
    for (auto& column : rest.phaseNs) column.clear();
    return rest;
}

void RepeatFilter::acceptRepeatedEpochs() {
    m_epochs.clear();
    for (auto& [rank, recorded] : m_ranks) {
        recorded.consumedEpoch = -1;
        recorded.indices.clear();
    }
}

bool RepeatFilter::isRepeated(const Event& event) {
    if (const auto* frame = std::get_if<StepsFrame>(&event)) {
        Recorded& recorded = m_ranks[frame->rank];
        if (frame->step.empty() || frame->step.back() <= recorded.step) return !frame->step.empty();
        recorded.step = frame->step.back();
    } else if (const auto* epoch = std::get_if<EpochResult>(&event)) {
        const auto [known, first] = m_epochs.try_emplace(epoch->split, epoch->epoch);
        if (!first && epoch->epoch <= known->second) return true;
        known->second = epoch->epoch;
    } else if (const auto* consumed = std::get_if<Consumed>(&event)) {
        Recorded& recorded = m_ranks[consumed->rank];
        if (consumed->epoch <= recorded.consumedEpoch) return true;
        recorded.consumedEpoch = consumed->epoch;
    } else if (const auto* indices = std::get_if<ConsumedIndices>(&event)) {
        const std::pair end{indices->epoch, indices->slot + static_cast<std::int64_t>(indices->index.size())};
        auto& known = m_ranks[indices->rank].indices.try_emplace(indices->loader, -1, 0).first->second;
        if (end <= known) return true;
        known = end;
    }
    return false;
}

}  // namespace ringside
