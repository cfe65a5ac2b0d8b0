// SPDX-License-Identifier: Apache-2.0
#include "telemetry/data/run_data.h"

#include <algorithm>
#include <variant>

#include "telemetry/events/append_bounded.h"

namespace ringside {
namespace {

constexpr std::size_t kMaxEpochs = 100000;
constexpr std::size_t kMaxCheckpoints = 10000;
constexpr std::size_t kMaxReplicaSteps = 8;
constexpr std::size_t kStepsForVerdict = 256;

}  // namespace

unsigned RunData::apply(const Event& event) {
    return std::visit([this](const auto& one) { return applyEvent(one); }, event);
}

unsigned RunData::applyEvent(const RunStarted& event) {
    if (m_started) return continueRun(event);
    m_started = event;
    m_ranks.begin(event.worldSize);
    if (const Result<RunConfig> config = RunConfig::parse(event.config, "run"); config)
        m_settings = runSettings(config.value());
    begin(event);
    return kRunStartedChanged | kRanksChanged;
}

void RunData::begin(const RunStarted& event) {
    m_merger.emplace(event.worldSize, event.stepsBefore);
    m_replicaSets.clear();  // removes the checksums of ranks that may no longer exist
    m_replicas = ReplicaData(event.worldSize);
    m_curves.begin(event.worldSize);
    m_curves.setStepsPerEpoch(event.stepsPerEpoch);
    m_trace.emplace(event.worldSize, m_curves.keptCurves() == Curves::kKept ? TraceData::kMaxSteps : kStepsForVerdict);
}

// Applies a "run" event that is not the first one. If it has another number of ranks, the run continues with that
// number of ranks, and the steps recorded before are kept. In all other cases the event is ignored, because it would
// invalidate the recorded state.
unsigned RunData::continueRun(const RunStarted& event) {
    const bool isResumed = event.stepsBefore > 0 || m_settings.mayChangeSize;
    if (!isResumed || event.worldSize == m_started->worldSize) return 0;
    m_started->worldSize = event.worldSize;
    m_started->stepsPerEpoch = event.stepsPerEpoch;
    m_started->config = event.config;
    m_ranks.changeSize(event.worldSize);
    begin(event);
    return kRunStartedChanged | kRanksChanged;
}

unsigned RunData::applyEvent(const StepsFrame& event) {
    if (!m_ranks.add(event, m_curves)) return 0;
    m_curves.addPhases(event, m_lastStep);
    m_merger->add(event, [this](const GlobalStep& global) { applyGlobal(global); });
    return kStepsChanged | kRanksChanged;
}

void RunData::applyGlobal(const GlobalStep& global) {
    m_lastStep = global;
    m_throughput.add(global.timeUs, global.samplesSoFar, global.step);
    m_curves.add(global);
    if (onGlobalStep) onGlobalStep(global);
}

unsigned RunData::applyEvent(const EpochResult& event) {
    appendBounded(event.split == SplitKind::kValidation ? m_validationEpochs : m_trainingEpochs, event, kMaxEpochs);
    m_lastTimeUs = std::max(m_lastTimeUs, event.timeUs);
    return kEpochsChanged;
}

unsigned RunData::applyEvent(const Replica& event) {
    if (!m_ranks.contains(event.rank)) return 0;
    auto& replicas = m_replicaSets[event.step];
    replicas[event.rank] = event;
    if (replicas.size() == m_ranks.all().size()) {
        m_ranks.compare(replicas);
        m_replicas.compare(replicas);
        m_replicaSets.erase(m_replicaSets.begin(), m_replicaSets.upper_bound(event.step));
    }
    while (m_replicaSets.size() > kMaxReplicaSteps) m_replicaSets.erase(m_replicaSets.begin());
    return kRanksChanged | kReplicasChanged;
}

unsigned RunData::applyEvent(const GradientView& event) {
    return m_replicas.apply(event) ? unsigned{kReplicasChanged} : 0U;
}

unsigned RunData::applyEvent(const LogLine& event) {
    m_log.push_back(event);
    if (m_log.size() > kMaxLogLines) {
        m_log.pop_front();
        ++m_logLinesDropped;
    }
    m_lastTimeUs = std::max(m_lastTimeUs, event.timeUs);
    return kLogChanged;
}

unsigned RunData::applyEvent(const CheckpointSaved& event) {
    appendBounded(m_checkpoints, event, kMaxCheckpoints);
    return kCheckpointsChanged;
}

unsigned RunData::applyEvent(const Controlled& event) {
    m_pauses.add(event);
    if (m_trace) m_trace->apply(event);
    m_lastTimeUs = std::max(m_lastTimeUs, event.timeUs);
    // Restarts the measurement of steps per second: after a change of speed or a pause, the previous measurement cannot
    // predict the remaining time.
    if (event.command == ControlKind::kRate || event.command == ControlKind::kResume)
        m_throughput = Throughput(kThroughputWindowUs);
    if (event.command != ControlKind::kRestart) return kControlChanged;
    m_ranks.resetForRestart();
    return kControlChanged | kRanksChanged;
}

unsigned RunData::applyEvent(const StepTrace& event) {
    if (!m_trace || !m_trace->apply(event)) return 0;
    return kTraceChanged;
}

unsigned RunData::applyEvent(const RunEnded& event) {
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
    if (limit > 0) rate = std::min(rate, limit);  // slow motion allows at most `limit` steps per second
    if (rate <= 0) return {};
    return static_cast<double>(std::max<std::int64_t>(totalSteps() - m_lastStep->step, 0)) / rate;
}

}  // namespace ringside
