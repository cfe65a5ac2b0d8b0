// SPDX-License-Identifier: Apache-2.0
#include "telemetry/data/run_ranks.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "telemetry/data/run_change.h"
#include "telemetry/events/append_bounded.h"
#include "telemetry/events/clock_text.h"

namespace ringside {
namespace {

// Applies `change` to the rank and returns `changes`. Returns 0 if the pointer to the rank is null.
template <class Change>
unsigned change(RankData* rank, unsigned changes, const Change& apply) {
    if (rank == nullptr) return 0;
    apply(*rank);
    return changes;
}

constexpr std::size_t kMaxConsumed = 100000;
constexpr std::int64_t kMaxSamples = std::int64_t{1} << 62;

std::vector<RankData> newRanks(int worldSize) {
    std::vector<RankData> ranks(static_cast<std::size_t>(std::max(worldSize, 0)));
    for (RankData& one : ranks) one.loss = std::numeric_limits<double>::quiet_NaN();
    return ranks;
}

// Adds the time that the rank spent waiting for batches. The measurement starts at the end of the first logged step,
// whose own waiting time is not added.
void takeDataWait(RankData& rank, const StepsFrame& frame) {
    const bool first = rank.firstEndUs < 0;
    if (first) rank.firstEndUs = frame.endUs.front();
    rank.elapsedUs = std::max(rank.elapsedUs, frame.endUs.back() - rank.firstEndUs);
    for (std::size_t i = first ? 1 : 0; i < frame.dataUs.size(); ++i) rank.dataUs += frame.dataUs[i];
}

// Sets the step and epoch of a rank, unless the rank has already reported a later step: heartbeats and steps are sent
// by different threads of the rank and may arrive out of order.
void advanceTo(RankData& rank, std::int64_t step, std::int64_t epoch) {
    rank.step = std::max(rank.step, step);
    rank.epoch = std::max(rank.epoch, epoch);
}

}  // namespace

void RunRanks::begin(int worldSize) {
    m_ranks = newRanks(worldSize);
    m_accounts.assign(m_ranks.size(), Account{});
}

void RunRanks::changeSize(int worldSize) {
    std::vector<RankData> before = std::exchange(m_ranks, {});
    begin(worldSize);
    for (std::size_t rank = 0; rank < std::min(before.size(), m_ranks.size()); ++rank) {
        m_ranks[rank].lossSeries = std::move(before[rank].lossSeries);
        m_ranks[rank].accuracySeries = std::move(before[rank].accuracySeries);
    }
}

void RunRanks::resetForRestart() {
    for (RankData& rank : m_ranks) {
        rank.state = RankStage::kStartingAgain;
        rank.phase.reset();
        rank.slowPhase.reset();
        rank.samplesPerSecond = 0;
    }
}

RankData* RunRanks::find(int rank) {
    return contains(rank) ? &m_ranks[static_cast<std::size_t>(rank)] : nullptr;
}

void RunRanks::recordTime(RankData& rank, std::int64_t timeUs) {
    rank.lastSeenUs = std::max(rank.lastSeenUs, timeUs);
    m_lastSeenUs = std::max(m_lastSeenUs, timeUs);
}

unsigned RunRanks::apply(const RankState& event) {
    RankData* const one = find(event.rank);
    if (one == nullptr) return 0;
    one->state = event.state;
    if (!event.device.empty()) one->device = event.device;
    if (!event.host.empty()) one->host = event.host;
    if (!event.isa.empty()) one->isa = event.isa;
    if (!event.transport.empty()) one->transport = event.transport;
    if (!event.hosts.empty()) one->hosts = event.hosts;
    if (event.pid != 0) one->pid = event.pid;
    recordTime(*one, event.timeUs);
    return kRanksChanged;
}

unsigned RunRanks::apply(const Heartbeat& event) {
    RankData* const one = find(event.rank);
    if (one == nullptr) return 0;
    advanceTo(*one, event.step, event.epoch);
    one->phase = event.phase;
    one->collective = event.collective;
    one->stalledUs = event.stalledUs;
    one->beatUs = event.timeUs;
    one->residentBytes = event.residentBytes;
    one->gpu = event.gpu;
    one->droppedSteps = event.droppedSteps;
    one->droppedEvents = event.droppedEvents;
    recordTime(*one, event.timeUs);
    return kRanksChanged;
}

unsigned RunRanks::apply(const Consumed& event) {
    RankData* const one = find(event.rank);
    if (one == nullptr) return 0;
    appendBounded(one->consumed, event, kMaxConsumed);
    ++one->consumedCount;
    return kConsumedChanged;
}

unsigned RunRanks::apply(const ConsumedIndices& event) {
    RankData* const one = find(event.rank);
    if (one == nullptr || event.index.empty() || !m_keepsIndices) return 0;
    std::size_t& held = m_accounts[static_cast<std::size_t>(event.rank)].indicesHeld;
    one->indices.push_back(event);
    ++one->indicesCount;
    held += event.index.size();
    while (held > kMaxIndices / m_ranks.size() && one->indices.size() > 1) {
        held -= one->indices.front().index.size();
        one->indices.pop_front();
    }
    return kConsumedChanged;
}

unsigned RunRanks::apply(const PhaseReached& event) {
    RankData* const one = find(event.rank);
    if (one == nullptr) return 0;
    one->slowPhase = event.phase;
    one->slowLayer = event.layer;
    one->slowAction = event.action;
    one->step = std::max(one->step, event.step - 1);
    recordTime(*one, event.timeUs);
    return kRanksChanged;
}

unsigned RunRanks::apply(const RankMemory& event) {
    return change(find(event.rank), kRanksChanged, [&](RankData& one) { one.memory = event; });
}

unsigned RunRanks::apply(const RankTraffic& event) {
    return change(find(event.rank), kRanksChanged, [&](RankData& one) { one.bytesPerStep = event.bytes; });
}

unsigned RunRanks::apply(const HostClock& event) {
    return change(find(event.rank), kRanksChanged, [&](RankData& one) { one.clock = event; });
}

unsigned RunRanks::apply(const RankLinks& event) {
    return change(find(event.rank), kRanksChanged, [&](RankData& one) { one.links = event; });
}

unsigned RunRanks::apply(const ThrottleKept& event) {
    return change(find(event.rank), kRanksChanged, [&](RankData& one) {
        one.keepsThrottle = event.kept.value_or(true);
        one.throttleTimes = event.times;
    });
}

unsigned RunRanks::apply(const LocalResult& event) {
    return change(find(event.rank), kRanksChanged | kEpochsChanged, [&](RankData& one) { one.local = event; });
}

bool RunRanks::add(const StepsFrame& frame, const RunCurves& curves) {
    RankData* const one = find(frame.rank);
    if (one == nullptr || frame.step.empty()) return false;
    Account& done = m_accounts[static_cast<std::size_t>(frame.rank)];
    for (std::size_t i = 0; i < frame.step.size(); ++i) {
        done.samples = std::min(done.samples + frame.samples[i], kMaxSamples);
        done.throughput.add(frame.endUs[i], done.samples, frame.step[i]);
        curves.add(*one, frame, i, done.samples);
    }
    takeDataWait(*one, frame);
    advanceTo(*one, frame.step.back(), frame.epoch);
    one->loss = frame.loss.back();
    one->batchSamples = frame.samples.back() / (frame.isThinned() ? frame.count.back() : 1);
    one->samplesPerSecond = done.throughput.samplesPerSecond().value_or(0);
    recordTime(*one, frame.endUs.back());
    return true;
}

void RunRanks::compare(const std::map<int, Replica>& replicas) {
    std::map<std::string, int> votes;
    for (const auto& [index, replica] : replicas) ++votes[replica.hash];
    std::string common;
    int most = 0;
    for (const auto& [index, replica] : replicas) {
        if (votes[replica.hash] <= most) continue;
        most = votes[replica.hash];
        common = replica.hash;
    }
    for (const auto& [index, replica] : replicas)
        m_ranks[static_cast<std::size_t>(index)].inSync = replica.hash == common;
}

std::string clocksText(std::span<const RankData> ranks) {
    constexpr std::size_t kMaxNamed = 4;
    std::string text;
    std::size_t hosts = 0;
    for (const RankData& one : ranks) {
        if (!one.clock || ++hosts > kMaxNamed) continue;
        text += (text.empty() ? "" : "; ") + clockText(one.host, *one.clock);
    }
    return hosts > kMaxNamed ? text + " and " + std::to_string(hosts - kMaxNamed) + " more hosts" : text;
}

bool keepsThrottle(std::span<const RankData> ranks) {
    return std::ranges::all_of(ranks, &RankData::keepsThrottle);
}

}  // namespace ringside
