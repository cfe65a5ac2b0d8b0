// SPDX-License-Identifier: Apache-2.0
#include "telemetry/data/replica_data.h"

#include <algorithm>

namespace ringside {
namespace {

const GradientView* withCells(const std::vector<std::optional<GradientView>>& views) {
    for (const std::optional<GradientView>& one : views)
        if (one && !one->cells.empty()) return &*one;
    return nullptr;
}

void dropCells(std::vector<std::optional<GradientView>>& views) {
    for (std::optional<GradientView>& one : views) {
        if (!one) continue;
        one->cells.clear();
        one->rows.clear();
        one->columns.clear();
    }
}

// Returns a replica that has the most frequent checksum. If several checksums are equally frequent, returns the replica
// of the lowest rank.
const Replica& common(const std::map<int, Replica>& replicas) {
    const Replica* most = nullptr;
    std::ptrdiff_t votes = 0;
    for (const auto& [rank, replica] : replicas) {
        const auto count = std::ranges::count_if(
            replicas, [&hash = replica.hash](const auto& other) { return other.second.hash == hash; });
        if (count <= votes) continue;
        votes = count;
        most = &replica;
    }
    return *most;
}

std::string firstDifferent(const Replica& one, const Replica& other) {
    for (std::size_t i = 0; i < std::min(one.checksums.size(), other.checksums.size()); ++i)
        if (one.checksums[i] != other.checksums[i]) return one.names[i];
    return {};
}

}  // namespace

const GradientView* InspectedStep::meanWithCells() const {
    return withCells(mean);
}

const GradientView* InspectedStep::changeWithCells() const {
    return withCells(change);
}

bool InspectedStep::hasCells() const {
    return withCells(own) != nullptr;
}

bool ReplicaData::apply(const GradientView& view) {
    if (view.rank < 0 || static_cast<std::size_t>(view.rank) >= m_worldSize) return false;
    if (m_steps.size() >= kMaxSteps && view.step < m_steps.begin()->first) return false;
    InspectedStep& step = m_steps[view.step];
    if (step.own.empty()) {
        step.step = view.step;
        step.epoch = view.epoch;
        step.own.resize(m_worldSize);
        step.mean.resize(m_worldSize);
        step.change.resize(m_worldSize);
    }
    auto& place = view.moment == GradientMoment::kOwn    ? step.own
                  : view.moment == GradientMoment::kMean ? step.mean
                                                         : step.change;
    place[static_cast<std::size_t>(view.rank)] = view;
    if (view.moment == GradientMoment::kChange) compareChecksums(step);
    dropOldSteps();
    return true;
}

// Compares the weights of the ranks after this step, once every rank has reported its checksums.
void ReplicaData::compareChecksums(const InspectedStep& step) {
    std::map<int, Replica> replicas;
    for (const std::optional<GradientView>& one : step.change) {
        if (!one || one->checksums.empty()) return;
        std::string all;
        for (const std::int64_t sum : one->checksums) all += std::to_string(sum) + ' ';
        replicas[one->rank] = Replica{one->rank, step.step, std::move(all), one->names, one->checksums};
    }
    compare(replicas);
}

void ReplicaData::compare(const std::map<int, Replica>& replicas) {
    if (replicas.empty()) return;
    ReplicaState now{.step = replicas.begin()->second.step};
    std::string tensor;
    // Groups the ranks by the names of their tensors: in a pipeline, only the ranks of the same stage can be compared.
    std::map<std::vector<std::string>, std::map<int, Replica>> alike;
    for (const auto& [rank, replica] : replicas) alike[replica.names][rank] = replica;
    for (const auto& [names, group] : alike) {
        const Replica& usual = common(group);
        for (const auto& [rank, replica] : group) {
            if (replica.hash == usual.hash) continue;
            now.identical = false;
            now.ranks.push_back(rank);
            if (tensor.empty()) tensor = firstDifferent(usual, replica);
        }
    }
    std::ranges::sort(now.ranks);
    if (m_state && m_state->step > now.step) return;
    if (!now.identical) {
        const bool already = m_state && !m_state->identical;
        now.sinceStep = already ? m_state->sinceStep : now.step;
        now.tensor = already && !m_state->tensor.empty() ? m_state->tensor : tensor;
    }
    m_state = now;
}

void ReplicaData::dropOldSteps() {
    while (m_steps.size() > kMaxSteps) m_steps.erase(m_steps.begin());
    std::size_t whole = 0;
    for (auto step = m_steps.rbegin(); step != m_steps.rend(); ++step) {
        if (!step->second.hasCells() || ++whole <= kMaxWholeSteps) continue;
        dropCells(step->second.own);
        dropCells(step->second.mean);
        dropCells(step->second.change);
    }
}

}  // namespace ringside
