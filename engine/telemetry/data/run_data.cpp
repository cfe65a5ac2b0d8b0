// SPDX-License-Identifier: Apache-2.0
#include "telemetry/data/run_data.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "telemetry/curves/append_bounded.h"
#include "telemetry/events/clock_text.h"

namespace ringside {
namespace {

constexpr std::size_t kMaxEpochs = 100000;
constexpr std::size_t kMaxCheckpoints = 10000;
constexpr std::size_t kMaxReplicaSteps = 8;
constexpr std::int64_t kMostSamples = std::int64_t{1} << 62;
constexpr std::size_t kStepsForVerdict = 256;

// Adds the time spent waiting for batches. The first logged step only defines the start of the measurement.
void takeDataWait(RankData& rank, const StepsFrame& frame) {
    const bool first = rank.firstEndUs < 0;
    if (first) rank.firstEndUs = frame.endUs.front();
    rank.elapsedUs = std::max(rank.elapsedUs, frame.endUs.back() - rank.firstEndUs);
    for (std::size_t i = first ? 1 : 0; i < frame.dataUs.size(); ++i) rank.dataUs += frame.dataUs[i];
}

// Sets the position of a rank, unless the rank has reported a later one: heartbeats and steps come from different
// threads of the rank, so that an older position can arrive after a step.
void advanceTo(RankData& rank, std::int64_t step, std::int64_t epoch) {
    rank.step = std::max(rank.step, step);
    rank.epoch = std::max(rank.epoch, epoch);
}

// Resets the state of a rank before the run restarts its ranks. Keeps the rank's curves and consumed samples.
void startAgain(RankData& rank) {
    rank.state = RankStage::kStartingAgain;
    rank.phase.reset();
    rank.slowPhase.reset();
    rank.samplesPerSecond = 0;
}

RunSettings settingsOf(const RunConfig& config) {
    return {.throttle = config.parallel.throttle,
            .strategy = config.parallel.strategy,
            .mayChangeSize = config.parallel.minRanks > 0,
            .stepPitfalls = config.stepPitfalls,
            .repeatsOrder = config.repeatsOrder(),
            .learningRateAtFirst = config.scaledLearningRate()};
}

// Stores an event in the data of its rank and returns what changed.
unsigned keep(RankData& rank, const RankMemory& event) {
    rank.memory = event;
    return kRanksChanged;
}
unsigned keep(RankData& rank, const RankTraffic& event) {
    rank.bytesPerStep = event.bytes;
    return kRanksChanged;
}
unsigned keep(RankData& rank, const HostClock& event) {
    rank.clock = event;
    return kRanksChanged;
}
unsigned keep(RankData& rank, const RankLinks& event) {
    rank.links = event;
    return kRanksChanged;
}
unsigned keep(RankData& rank, const ThrottleKept& event) {
    rank.keepsThrottle = event.kept.value_or(true);
    rank.throttleTimes = event.times;
    return kRanksChanged;
}
unsigned keep(RankData& rank, const LocalResult& event) {
    rank.local = event;
    return kRanksChanged | kEpochsChanged;
}

}  // namespace

template <class Latest>
unsigned RunData::take(const Latest& event) {
    RankData* const of = rank(event.rank);
    return of == nullptr ? 0U : keep(*of, event);
}

unsigned RunData::apply(const Event& event) {
    return std::visit([this](const auto& one) { return take(one); }, event);
}

RankData* RunData::rank(int index) {
    if (index < 0 || static_cast<std::size_t>(index) >= m_ranks.size()) return nullptr;
    return &m_ranks[static_cast<std::size_t>(index)];
}

void RunData::seen(RankData& rank, std::int64_t timeUs) {
    rank.lastSeenUs = std::max(rank.lastSeenUs, timeUs);
    m_lastTimeUs = std::max(m_lastTimeUs, timeUs);
}

unsigned RunData::take(const RunStarted& event) {
    if (m_started) return continueRun(event);
    m_started = event;
    m_ranks.assign(static_cast<std::size_t>(std::max(event.worldSize, 0)), RankData{});
    for (RankData& one : m_ranks) one.loss = std::numeric_limits<double>::quiet_NaN();
    if (const Result<RunConfig> config = RunConfig::parse(event.config, "run"); config)
        m_settings = settingsOf(config.value());
    begin(event);
    return kRunStartedChanged | kRanksChanged;
}

void RunData::begin(const RunStarted& event) {
    m_indicesHeld.assign(m_ranks.size(), 0);
    m_rankThroughput.assign(m_ranks.size(), RankThroughput{});
    m_merger.emplace(event.worldSize, event.stepsBefore);
    m_replicas = ReplicaData(event.worldSize);
    m_curves.begin(event.worldSize);
    m_curves.setStepsPerEpoch(event.stepsPerEpoch);
    m_trace.emplace(event.worldSize, m_curves.kept() == Curves::kKept ? TraceData::kMaxSteps : kStepsForVerdict);
}

// Handles a second or later "run" event. A run writes such an event when it continues with another number of ranks; the
// previous steps are kept. Ignores the event in all other cases, because it would invalidate the recorded state.
unsigned RunData::continueRun(const RunStarted& event) {
    const bool isResumed = event.stepsBefore > 0 || m_settings.mayChangeSize;
    if (!isResumed || event.worldSize == m_started->worldSize) return 0;
    m_started->worldSize = event.worldSize;
    m_started->stepsPerEpoch = event.stepsPerEpoch;
    m_started->config = event.config;
    // Keeps the curves of the ranks, but discards the consumed samples, because they were assigned for another number
    // of ranks.
    std::vector<RankData> ranks(static_cast<std::size_t>(std::max(event.worldSize, 0)));
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
        ranks[rank].loss = std::numeric_limits<double>::quiet_NaN();
        if (rank >= m_ranks.size()) continue;
        ranks[rank].lossSeries = std::move(m_ranks[rank].lossSeries);
        ranks[rank].accuracySeries = std::move(m_ranks[rank].accuracySeries);
    }
    m_ranks = std::move(ranks);
    begin(event);
    return kRunStartedChanged | kRanksChanged;
}

unsigned RunData::take(const RankState& event) {
    RankData* one = rank(event.rank);
    if (one == nullptr) return 0;
    one->state = event.state;
    if (!event.device.empty()) one->device = event.device;
    if (!event.host.empty()) one->host = event.host;
    if (!event.isa.empty()) one->isa = event.isa;
    if (!event.transport.empty()) one->transport = event.transport;
    if (!event.hosts.empty()) one->hosts = event.hosts;
    if (event.pid != 0) one->pid = event.pid;
    seen(*one, event.timeUs);
    return kRanksChanged;
}

unsigned RunData::take(const StepsFrame& event) {
    RankData* one = rank(event.rank);
    if (one == nullptr || event.step.empty()) return 0;
    RankThroughput& done = m_rankThroughput[static_cast<std::size_t>(event.rank)];
    for (std::size_t i = 0; i < event.step.size(); ++i) {
        done.samples = std::min(done.samples + event.samples[i], kMostSamples);
        done.throughput.add(event.endUs[i], done.samples, event.step[i]);
        m_curves.add(*one, event, i, done.samples);
    }
    takeDataWait(*one, event);
    m_curves.addPhases(event, m_lastStep);
    advanceTo(*one, event.step.back(), event.epoch);
    one->loss = event.loss.back();
    one->batchSamples = event.samples.back() / (event.isThinned() ? event.count.back() : 1);
    one->samplesPerSecond = done.throughput.samplesPerSecond().value_or(0);
    seen(*one, event.endUs.back());
    m_merger->add(event, [this](const GlobalStep& global) { applyGlobal(global); });
    return kStepsChanged | kRanksChanged;
}

void RunData::applyGlobal(const GlobalStep& global) {
    m_lastStep = global;
    m_throughput.add(global.timeUs, global.samplesSoFar, global.step);
    m_curves.add(global);
    if (onGlobalStep) onGlobalStep(global);
}

unsigned RunData::take(const Heartbeat& event) {
    RankData* one = rank(event.rank);
    if (one == nullptr) return 0;
    advanceTo(*one, event.step, event.epoch);
    one->phase = event.phase;
    one->collective = event.collective;
    one->stillUs = event.stillUs;
    one->beatUs = event.timeUs;
    one->residentBytes = event.residentBytes;
    one->gpu = event.gpu;
    one->droppedSteps = event.droppedSteps;
    one->droppedEvents = event.droppedEvents;
    seen(*one, event.timeUs);
    return kRanksChanged;
}

unsigned RunData::take(const EpochResult& event) {
    appendBounded(event.split == SplitKind::kValidation ? m_validationEpochs : m_trainingEpochs, event, kMaxEpochs);
    m_lastTimeUs = std::max(m_lastTimeUs, event.timeUs);
    return kEpochsChanged;
}

unsigned RunData::take(const Consumed& event) {
    RankData* one = rank(event.rank);
    if (one == nullptr) return 0;
    appendBounded(one->consumed, event, kMaxEpochs);
    ++one->consumedCount;
    return kConsumedChanged;
}

unsigned RunData::take(const ConsumedIndices& event) {
    RankData* one = rank(event.rank);
    if (one == nullptr || event.index.empty()) return 0;
    if (m_curves.kept() == Curves::kGlobal) return 0;
    std::size_t& held = m_indicesHeld[static_cast<std::size_t>(event.rank)];
    one->indices.push_back(event);
    ++one->indicesCount;
    held += event.index.size();
    while (held > kMaxIndices / m_ranks.size() && one->indices.size() > 1) {
        held -= one->indices.front().index.size();
        one->indices.pop_front();
    }
    return kConsumedChanged;
}

std::string RunData::clocksText() const {
    constexpr std::size_t kMostNamed = 4;
    std::string text;
    std::size_t hosts = 0;
    for (const RankData& one : m_ranks) {
        if (!one.clock || ++hosts > kMostNamed) continue;
        text += (text.empty() ? "" : "; ") + clockText(one.host, *one.clock);
    }
    return hosts > kMostNamed ? text + " and " + std::to_string(hosts - kMostNamed) + " more hosts" : text;
}

unsigned RunData::take(const Replica& event) {
    if (rank(event.rank) == nullptr) return 0;
    auto& replicas = m_replicaSets[event.step];
    replicas[event.rank] = event;
    if (replicas.size() == m_ranks.size()) {
        compareReplicas(replicas);
        m_replicas.compare(replicas);
        m_replicaSets.erase(m_replicaSets.begin(), m_replicaSets.upper_bound(event.step));
    }
    while (m_replicaSets.size() > kMaxReplicaSteps) m_replicaSets.erase(m_replicaSets.begin());
    return kRanksChanged | kReplicasChanged;
}

// Sets inSync of each rank: true if the checksum of its parameters is the most frequent one. If several checksums are
// equally frequent, the checksum of the lowest rank is used.
void RunData::compareReplicas(const std::map<int, Replica>& replicas) {
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

bool RunData::keepsThrottle() const {
    return std::ranges::all_of(m_ranks, &RankData::keepsThrottle);
}

unsigned RunData::take(const GradientView& event) {
    return m_replicas.apply(event) ? unsigned{kReplicasChanged} : 0U;
}

unsigned RunData::take(const PhaseReached& event) {
    RankData* const one = rank(event.rank);
    if (one == nullptr) return 0;
    one->slowPhase = event.phase;
    one->slowLayer = event.layer;
    one->slowAction = event.action;
    one->step = std::max(one->step, event.step - 1);
    seen(*one, event.timeUs);
    return kRanksChanged;
}

unsigned RunData::take(const LogLine& event) {
    m_log.push_back(event);
    if (m_log.size() > kMaxLogLines) {
        m_log.pop_front();
        ++m_logLinesDropped;
    }
    m_lastTimeUs = std::max(m_lastTimeUs, event.timeUs);
    return kLogChanged;
}

unsigned RunData::take(const CheckpointSaved& event) {
    appendBounded(m_checkpoints, event, kMaxCheckpoints);
    return kCheckpointsChanged;
}

unsigned RunData::take(const Controlled& event) {
    m_pauses.add(event);
    m_lastTimeUs = std::max(m_lastTimeUs, event.timeUs);
    // Restarts the measurement of the rate. After a change of speed or a pause, the previous rate no longer predicts
    // the remaining time.
    if (event.command == ControlKind::kRate || event.command == ControlKind::kResume)
        m_throughput = Throughput(kThroughputWindowUs);
    if (event.command != ControlKind::kRestart) return kControlChanged;
    for (RankData& one : m_ranks) startAgain(one);
    return kControlChanged | kRanksChanged;
}

unsigned RunData::take(const StepTrace& event) {
    if (!m_trace || !m_trace->apply(event)) return 0;
    return kTraceChanged;
}

unsigned RunData::take(const RunEnded& event) {
    if (!m_ended) m_curves.end();
    m_ended = event;
    m_lastTimeUs = std::max(m_lastTimeUs, event.timeUs);
    return kEndChanged;
}

std::int64_t RunData::totalSteps() const {
    return m_started ? m_started->stepsPerEpoch * epochs() : 0;
}

std::int64_t RunData::epochs() const {
    return m_pauses.epochs().value_or(m_started ? m_started->epochs : 0);
}

std::optional<double> RunData::secondsLeft() const {
    if (!m_lastStep || m_ended) return {};
    const double limit = m_pauses.rate();
    double rate = m_throughput.stepsPerSecond().value_or(limit);
    if (limit > 0) rate = std::min(rate, limit);  // in slow motion, the rate cannot be higher than the limit
    if (rate <= 0) return {};
    return static_cast<double>(std::max<std::int64_t>(totalSteps() - m_lastStep->step, 0)) / rate;
}

}  // namespace ringside
