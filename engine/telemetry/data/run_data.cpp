// SPDX-License-Identifier: Apache-2.0
#include "telemetry/data/run_data.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "telemetry/events/clock_text.h"

namespace ringside {
namespace {

constexpr std::size_t kPhasePoints = 1U << 12;  // for each phase

constexpr std::size_t kMaxEpochs = 100000;
constexpr std::size_t kMaxCheckpoints = 10000;
constexpr std::size_t kMaxControls = 10000;
constexpr std::size_t kMaxReplicaSteps = 8;
constexpr std::size_t kMaxMarks = 64;
constexpr std::int64_t kMostSamples = std::int64_t{1} << 62;
constexpr std::int64_t kThroughputWindowUs = 500000;
constexpr std::size_t kStepsForVerdict = 256;

// Appends to a list that discards its older half when it is full.
template <class T>
void appendBounded(std::vector<T>& list, const T& value, std::size_t most) {
    if (list.size() >= most) list.erase(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(most / 2));
    list.push_back(value);
}

std::int32_t pointCount(std::int64_t steps) {
    return static_cast<std::int32_t>(std::clamp<std::int64_t>(steps, 1, std::numeric_limits<std::int32_t>::max() / 4));
}

SeriesPoint pointOf(const SeriesPoint& place, double mean, double minimum, double maximum) {
    SeriesPoint point = place;
    point.mean = static_cast<float>(mean);
    point.minimum = static_cast<float>(minimum);
    point.maximum = static_cast<float>(maximum);
    return point;
}

// Adds the time spent waiting for batches. The first logged step only defines the start of the measurement.
void takeDataWait(RankData& rank, const StepsFrame& frame) {
    const bool first = rank.firstEndUs < 0;
    if (first) rank.firstEndUs = frame.endUs.front();
    rank.elapsedUs = std::max(rank.elapsedUs, frame.endUs.back() - rank.firstEndUs);
    for (std::size_t i = first ? 1 : 0; i < frame.dataUs.size(); ++i) rank.dataUs += frame.dataUs[i];
}

// Resets the state of the previous attempt; curves and consumed samples are kept.
void startAgain(RankData& rank) {
    rank.state = kStartingAgain;
    rank.phase.reset();
    rank.slowPhase.reset();
    rank.samplesPerSecond = 0;
}

}  // namespace

void Pace::add(std::int64_t timeUs, std::int64_t samples, std::int64_t step) {
    if (!m_marks.empty() && timeUs <= m_marks.back().timeUs) return;
    // Marks closer together than a fraction of the window replace each other, so that a fast run needs no more marks
    // than a slow one.
    if (m_marks.size() >= 2 && timeUs < m_denseUntilUs) {
        m_marks.back() = {timeUs, samples, step};
        return;
    }
    if (!m_marks.empty()) m_denseUntilUs = m_marks.back().timeUs + m_windowUs / static_cast<std::int64_t>(kMaxMarks);
    m_marks.push_back({timeUs, samples, step});
    while (m_marks.size() > 2 && m_marks[1].timeUs <= timeUs - m_windowUs) m_marks.pop_front();
}

std::optional<double> Pace::samplesPerSecond() const {
    if (m_marks.size() < 2) return {};
    const auto seconds = static_cast<double>(m_marks.back().timeUs - m_marks.front().timeUs) / 1e6;
    return static_cast<double>(m_marks.back().samples - m_marks.front().samples) / seconds;
}

std::optional<double> Pace::stepsPerSecond() const {
    if (m_marks.size() < 2) return {};
    const auto seconds = static_cast<double>(m_marks.back().timeUs - m_marks.front().timeUs) / 1e6;
    return static_cast<double>(m_marks.back().step - m_marks.front().step) / seconds;
}

unsigned RunData::apply(const Event& event) {
    return std::visit([this](const auto& one) { return take(one); }, event);
}

RankData* RunData::rank(int index) {
    if (index < 0 || static_cast<std::size_t>(index) >= m_ranks.size()) return nullptr;
    return &m_ranks[static_cast<std::size_t>(index)];
}

unsigned RunData::take(const RunStarted& event) {
    if (m_started) return goOnWith(event);
    m_started = event;
    m_ranks.assign(static_cast<std::size_t>(std::max(event.worldSize, 0)), RankData{});
    for (RankData& one : m_ranks) one.loss = std::numeric_limits<double>::quiet_NaN();
    m_indicesHeld.assign(m_ranks.size(), 0);
    m_rankPaces.assign(m_ranks.size(), RankPace{});
    m_merger.emplace(event.worldSize, event.stepsBefore);
    m_replicas = ReplicaData(event.worldSize);
    if (const Result<RunConfig> config = RunConfig::parse(event.config, "run"); config) {
        m_runPace = config.value().parallel.pace;
        m_strategy = textOf(config.value().parallel.strategy);
        m_mayChangeSize = config.value().parallel.minRanks > 0;
        m_stepPitfalls = config.value().stepPitfalls;
        m_repeatsOrder = config.value().repeatsOrder();
        m_learningRateAtFirst = config.value().scaledLearningRate();
    }
    m_phaseSums.emplace(event.worldSize);
    m_phaseTimes.fill(Series(kPhasePoints));
    m_trace.emplace(event.worldSize, m_curves == Curves::kKept ? TraceData::kMaxSteps : kStepsForVerdict);
    return kRunStartedChanged | kRanksChanged;
}

// Applies a further run line, which a run writes each time it continues with another number of ranks; the previous
// steps are kept. All other further run lines are ignored, because they would invalidate the recorded state.
unsigned RunData::goOnWith(const RunStarted& event) {
    const bool goesOn = event.stepsBefore > 0 || m_mayChangeSize;
    if (!goesOn || event.worldSize == m_started->worldSize) return 0;
    m_started->worldSize = event.worldSize;
    m_started->stepsPerEpoch = event.stepsPerEpoch;
    m_started->config = event.config;
    // The curves of the ranks continue. The consumed samples do not, because they were assigned for another number of
    // ranks.
    std::vector<RankData> ranks(static_cast<std::size_t>(std::max(event.worldSize, 0)));
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
        ranks[rank].loss = std::numeric_limits<double>::quiet_NaN();
        if (rank >= m_ranks.size()) continue;
        ranks[rank].lossSeries = std::move(m_ranks[rank].lossSeries);
        ranks[rank].accuracySeries = std::move(m_ranks[rank].accuracySeries);
    }
    m_ranks = std::move(ranks);
    m_indicesHeld.assign(m_ranks.size(), 0);
    m_rankPaces.assign(m_ranks.size(), RankPace{});
    m_merger.emplace(event.worldSize, event.stepsBefore);
    m_replicas = ReplicaData(event.worldSize);
    m_phaseSums.emplace(event.worldSize);
    m_trace.emplace(event.worldSize, m_curves == Curves::kKept ? TraceData::kMaxSteps : kStepsForVerdict);
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
    one->lastSeenUs = std::max(one->lastSeenUs, event.timeUs);
    m_lastTimeUs = std::max(m_lastTimeUs, event.timeUs);
    return kRanksChanged;
}

SeriesPoint RunData::placeOf(std::int64_t step, std::int64_t epoch, std::int64_t samples, std::int64_t timeUs) const {
    const std::int64_t stepsPerEpoch = m_started->stepsPerEpoch;
    SeriesPoint place;
    place.step = step;
    place.epoch =
        stepsPerEpoch > 0 ? static_cast<double>(step) / static_cast<double>(stepsPerEpoch) : static_cast<double>(epoch);
    place.samples = samples;
    place.timeUs = timeUs;
    return place;
}

void RunData::addPoints(RankData& rank, const StepsFrame& frame, std::size_t index, const SeriesPoint& at) {
    SeriesPoint place = at;
    const bool thinned = frame.isThinned();
    if (thinned) place.count = pointCount(frame.count[index]);
    const double loss = frame.loss[index];
    rank.lossSeries.add(
        pointOf(place, loss, thinned ? frame.lossMinimum[index] : loss, thinned ? frame.lossMaximum[index] : loss));
    if (frame.correct.empty() || frame.samples[index] == 0) return;
    const double accuracy = frame.correct[index] / static_cast<double>(frame.samples[index]);
    rank.accuracySeries.add(pointOf(place, accuracy, thinned ? frame.accuracyMinimum[index] : accuracy,
                                    thinned ? frame.accuracyMaximum[index] : accuracy));
}

unsigned RunData::take(const StepsFrame& event) {
    RankData* one = rank(event.rank);
    if (one == nullptr || event.step.empty()) return 0;
    RankPace& pace = m_rankPaces[static_cast<std::size_t>(event.rank)];
    for (std::size_t i = 0; i < event.step.size(); ++i) {
        pace.samples = std::min(pace.samples + event.samples[i], kMostSamples);
        pace.pace.add(event.endUs[i], pace.samples, event.step[i]);
        if (m_curves != Curves::kKept) continue;
        addPoints(*one, event, i, placeOf(event.step[i], event.epoch, pace.samples, event.endUs[i]));
    }
    takeDataWait(*one, event);
    if (m_curves == Curves::kKept) addPhases(event);
    one->step = std::max(one->step, event.step.back());
    one->epoch = event.epoch;
    one->loss = event.loss.back();
    one->batchSamples = event.samples.back() / (event.isThinned() ? event.count.back() : 1);
    one->samplesPerSecond = pace.pace.samplesPerSecond().value_or(0);
    one->lastSeenUs = std::max(one->lastSeenUs, event.endUs.back());
    m_lastTimeUs = std::max(m_lastTimeUs, event.endUs.back());
    m_merger->add(event, [this](const GlobalStep& global) { applyGlobal(global); });
    return kStepsChanged | kRanksChanged;
}

void RunData::addPhases(const StepsFrame& frame) {
    m_phaseSums->add(frame, [this](const PhaseSums::Step& step) {
        const double share = m_lastStep && m_lastStep->step > 0
                                 ? static_cast<double>(step.step) / static_cast<double>(m_lastStep->step)
                                 : 0;
        const auto samples = m_lastStep ? static_cast<double>(m_lastStep->samplesSoFar) * share : 0;
        const SeriesPoint place = placeOf(step.step, step.epoch, static_cast<std::int64_t>(samples), step.endUs);
        for (std::size_t phase = 0; phase < step.ms.size(); ++phase)
            m_phaseTimes[phase].add(pointOf(place, step.ms[phase], step.ms[phase], step.ms[phase]));
    });
}

void RunData::applyGlobal(const GlobalStep& global) {
    m_lastStep = global;
    m_pace.add(global.timeUs, global.samplesSoFar, global.step);
    if (m_curves != Curves::kLeftOut) addPoints(global);
    if (onGlobalStep) onGlobalStep(global);
}

void RunData::addPoints(const GlobalStep& global) {
    SeriesPoint place = placeOf(global.step, global.epoch, global.samplesSoFar, global.timeUs);
    place.count = pointCount(global.steps);
    m_loss.add(pointOf(place, global.loss, global.lossMinimum, global.lossMaximum));
    if (!std::isnan(global.accuracy)) {
        m_accuracy.add(pointOf(place, global.accuracy, global.accuracyMinimum, global.accuracyMaximum));
    }
    if (!std::isnan(global.gradientNorm)) {
        m_gradientNorm.add(pointOf(place, global.gradientNorm, global.normMinimum, global.normMaximum));
    }
    m_learningRate.add(pointOf(place, global.learningRate, global.learningRate, global.learningRate));
    addThroughput(place);
}

// Adds a throughput point once the interval is long enough: in shorter intervals, jitter of the clock and of the
// scheduler would dominate.
void RunData::addThroughput(const SeriesPoint& place) {
    m_throughputUntil = place;
    if (m_throughputFrom.step == 0) m_throughputFrom = place;
    if (place.timeUs - m_throughputFrom.timeUs < kThroughputWindowUs) return;
    addThroughputPoint(m_throughputFrom, place);
    m_throughputBefore = std::exchange(m_throughputFrom, place);
}

void RunData::addThroughputPoint(const SeriesPoint& from, const SeriesPoint& to) {
    const double rate =
        static_cast<double>(to.samples - from.samples) * 1e6 / static_cast<double>(to.timeUs - from.timeUs);
    // The first interval is drawn from its beginning.
    if (m_throughput.points().empty()) m_throughput.add(pointOf(from, rate, rate, rate));
    SeriesPoint point = pointOf(to, rate, rate, rate);
    point.count = pointCount(to.step - from.step);
    m_throughput.add(point);
}

// Adds the rest of the run as a last point, together with the interval before it; for a short run, the whole run.
void RunData::endThroughput() {
    if (m_curves == Curves::kLeftOut) return;
    const SeriesPoint from = m_throughput.points().empty() ? m_throughputFrom : m_throughputBefore;
    if (m_throughputUntil.step <= m_throughputFrom.step || m_throughputUntil.timeUs <= from.timeUs) return;
    addThroughputPoint(from, m_throughputUntil);
}

unsigned RunData::take(const Heartbeat& event) {
    RankData* one = rank(event.rank);
    if (one == nullptr) return 0;
    one->step = std::max(one->step, event.step);
    one->epoch = event.epoch;
    one->phase = event.phase;
    one->collective = event.collective;
    one->stillUs = event.stillUs;
    one->beatUs = event.timeUs;
    one->residentBytes = event.residentBytes;
    one->gpu = event.gpu;
    one->droppedSteps = event.droppedSteps;
    one->lastSeenUs = std::max(one->lastSeenUs, event.timeUs);
    m_lastTimeUs = std::max(m_lastTimeUs, event.timeUs);
    return kRanksChanged;
}

unsigned RunData::take(const EpochResult& event) {
    appendBounded(event.split == "val" ? m_validationEpochs : m_trainingEpochs, event, kMaxEpochs);
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
    if (m_curves == Curves::kGlobal) return 0;
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

unsigned RunData::take(const RankMemory& event) {
    RankData* const data = rank(event.rank);
    if (data == nullptr) return 0;
    data->memory = event;
    return kRanksChanged;
}

unsigned RunData::take(const RankTraffic& event) {
    RankData* const data = rank(event.rank);
    if (data == nullptr) return 0;
    data->bytesPerStep = event.bytes;
    return kRanksChanged;
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

unsigned RunData::take(const HostClock& event) {
    RankData* const data = rank(event.rank);
    if (data == nullptr) return 0;
    data->clock = event;
    return kRanksChanged;
}

unsigned RunData::take(const RankLinks& event) {
    RankData* const data = rank(event.rank);
    if (data == nullptr) return 0;
    data->links = event;
    return kRanksChanged;
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

// Sets inSync of each rank: true if it has the most frequent hash. At equal frequency, the hash of the lowest rank is
// used.
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

unsigned RunData::take(const PaceKept& event) {
    RankData* const one = rank(event.rank);
    if (one == nullptr) return 0;
    one->keepsPace = event.kept.value_or(true);
    one->paceTimes = event.times;
    return kRanksChanged;
}

bool RunData::keepsPace() const {
    return std::ranges::all_of(m_ranks, &RankData::keepsPace);
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
    one->lastSeenUs = std::max(one->lastSeenUs, event.timeUs);
    m_lastTimeUs = std::max(m_lastTimeUs, event.timeUs);
    return kRanksChanged;
}

unsigned RunData::take(const LocalResult& event) {
    RankData* const one = rank(event.rank);
    if (one == nullptr) return 0;
    one->local = event;
    return kRanksChanged | kEpochsChanged;
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
    appendBounded(m_controls, event, kMaxControls);
    m_lastTimeUs = std::max(m_lastTimeUs, event.timeUs);
    if (event.command == "rate") m_rate = event.value;
    // The rate before a change of speed or a pause says nothing about the rate after it.
    if (event.command == "rate" || event.command == "resume") m_pace = Pace(kPaceWindowUs);
    if (event.command == "restart")
        for (RankData& one : m_ranks) startAgain(one);
    if (event.command == "epochs") m_epochs = static_cast<std::int64_t>(event.value);
    const bool goesOn =
        event.command == "resume" || event.command == "step" || event.command == "phase" || event.command == "stop";
    if (event.command == "pause" && !m_pausedFromUs) m_pausedFromUs = event.timeUs;
    if (goesOn && m_pausedFromUs) {
        m_pausedUs += std::max<std::int64_t>(event.timeUs - *m_pausedFromUs, 0);
        m_pausedFromUs.reset();
    }
    return event.command == "restart" ? kControlChanged | kRanksChanged : kControlChanged;
}

std::int64_t RunData::pausedUs() const {
    return m_pausedUs + (m_pausedFromUs ? std::max<std::int64_t>(m_lastTimeUs - *m_pausedFromUs, 0) : 0);
}

unsigned RunData::take(const StepTrace& event) {
    if (!m_trace || !m_trace->apply(event)) return 0;
    return kTraceChanged;
}

unsigned RunData::take(const RunEnded& event) {
    if (!m_ended) endThroughput();
    m_ended = event;
    m_lastTimeUs = std::max(m_lastTimeUs, event.timeUs);
    return kEndChanged;
}

std::int64_t RunData::totalSteps() const {
    return m_started ? m_started->stepsPerEpoch * epochs() : 0;
}

std::int64_t RunData::epochs() const {
    return m_epochs.value_or(m_started ? m_started->epochs : 0);
}

std::optional<double> RunData::secondsLeft() const {
    if (!m_lastStep || m_ended) return {};
    double pace = m_pace.stepsPerSecond().value_or(m_rate);
    if (m_rate > 0) pace = std::min(pace, m_rate);  // slow motion limits the rate
    if (pace <= 0) return {};
    return static_cast<double>(std::max<std::int64_t>(totalSteps() - m_lastStep->step, 0)) / pace;
}

}  // namespace ringside
