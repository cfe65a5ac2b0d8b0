// SPDX-License-Identifier: Apache-2.0
#include "train/trace/step_tracer.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>

namespace ringside {
namespace {

constexpr std::size_t kMaxStamps = 4096;
constexpr std::size_t kMaxUnfinished = 512;  // maximum number of phases in the trace of an unfinished step
// Maximum number of traces per second on all ranks together. Each trace costs about 10 us of the rank's time and about
// 300 bytes of telemetry; the user cannot inspect more of them.
constexpr std::int64_t kTracesPerSecond = 200;
constexpr std::int64_t kMinGapNs = 20'000'000;
// A measurement of the duration of steps covers at least kPaceSteps steps. It ends after kPaceNs nanoseconds, or
// earlier after kPaceSteps traced steps.
constexpr std::int64_t kPaceNs = 100'000'000;
constexpr std::int64_t kPaceSteps = 16;
constexpr std::int64_t kMaxInterval = std::int64_t{1} << 20;

// Returns kPaused instead of a communication phase if the run is paused: paused ranks wait in a collective in which
// they agree on when to resume.
Phase pausedOr(Phase before, Phase phase) {
    return before == Phase::kPaused && isCommunication(phase) ? Phase::kPaused : phase;
}

std::int64_t gapNs(int worldSize) {
    return std::max(kMinGapNs, worldSize * (1'000'000'000 / kTracesPerSecond));
}

}  // namespace

StepTracer::StepTracer(const TracerOptions& options, PhaseTrack& phases, CollectiveTrace& collectives)
    : m_options(options), m_phases(phases), m_collectives(collectives) {
    m_trace.rank = options.rank;
    if (!isOff()) reserve();
}

void StepTracer::reserve() {
    m_stamps.reserve(kMaxStamps);
    for (auto* column : {&m_unfinishedTrace.phase, &m_unfinishedTrace.at, &m_unfinishedTrace.cpu})
        column->reserve(kMaxUnfinished);
}

StepTracer::~StepTracer() {
    m_phases.removeListener(*this);
    m_phases.recordStamps(nullptr);
    m_collectives.stopRecording();
}

void StepTracer::begin(std::int64_t step, std::int64_t epoch, std::int64_t runStartNs, bool watched) {
    m_step = step;
    m_runStartNs = runStartNs;
    m_active = willTrace(step) || (watched && !isOff() && !m_isSuspended);
    if (!m_active) return;
    if (!m_schedule) m_schedule.reset(::open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC));
    m_trace.step = step;
    m_trace.epoch = epoch;
    m_stamps.clear();
    m_collectives.startRecording();
    m_beganQueuedNs = readCpuWaitNs();
    m_phases.recordStamps(&m_stamps, isRecording() || m_options.trace == TraceLevel::kLayers);
    m_phases.enter(m_phases.now());
    m_beganNs = m_stamps.front().atNs;
    m_beganCpuNs = m_stamps.front().cpuNs;
    beginUnfinishedTrace();
}

// Starts to record the phases for unfinishedTrace(). A listener is registered only in traced steps, so that it costs
// nothing in other steps.
void StepTracer::beginUnfinishedTrace() {
    if (!reportsWholeTraces()) return;
    const std::lock_guard lock(m_mutex);
    m_unfinishedTrace.rank = m_options.rank;
    m_unfinishedTrace.step = m_trace.step;
    m_unfinishedTrace.epoch = m_trace.epoch;
    m_unfinishedTrace.beginNs = m_beganNs - m_runStartNs;
    m_unfinishedTrace.lengthNs = -1;
    m_unfinishedTrace.phase.assign(1, static_cast<std::int64_t>(m_phases.now()));
    m_unfinishedTrace.at.assign(1, 0);
    m_unfinishedTrace.cpu.assign(1, 0);
    m_phases.addListener(*this);
}

void StepTracer::onPhaseEnd(Phase, Phase next) {
    const std::int64_t at = monotonicNs() - m_beganNs;
    const std::lock_guard lock(m_mutex);
    if (m_unfinishedTrace.phase.size() >= kMaxUnfinished) return;
    const auto before = static_cast<Phase>(m_unfinishedTrace.phase.back());
    m_unfinishedTrace.phase.push_back(static_cast<std::int64_t>(pausedOr(before, next)));
    m_unfinishedTrace.at.push_back(at);
    m_unfinishedTrace.cpu.push_back(0);
}

std::optional<StepTrace> StepTracer::unfinishedTrace() const {
    const std::lock_guard lock(m_mutex);
    return m_unfinishedTrace.phase.empty() ? std::nullopt : std::optional(m_unfinishedTrace);
}

void StepTracer::endUnfinishedTrace() {
    m_phases.removeListener(*this);
    const std::lock_guard lock(m_mutex);
    for (auto* column : {&m_unfinishedTrace.phase, &m_unfinishedTrace.at, &m_unfinishedTrace.cpu}) column->clear();
}

// Returns the time for which this thread has waited for a CPU, in nanoseconds, or -1 if the kernel does not report it.
// The file schedstat contains the CPU time, the waiting time and the number of time slices, such as "12345 678 9".
std::int64_t StepTracer::readCpuWaitNs() {
    std::array<char, 96> text;
    const ssize_t got = m_schedule ? ::pread(m_schedule.get(), text.data(), text.size(), 0) : -1;
    if (got <= 0) return -1;
    const char* const end = text.data() + got;
    const char* const at = std::find(static_cast<const char*>(text.data()), end, ' ');
    std::int64_t value = -1;
    if (at != end) std::from_chars(at + 1, end, value);
    return value;
}

const PhaseTimes* StepTracer::phaseTimes() {
    if (!m_active) return nullptr;
    fillTrace(monotonicNs());
    m_sums = ringside::phaseTimes(m_trace);
    return &m_sums;
}

void StepTracer::fillTrace(std::int64_t nowNs) {
    StepTrace& t = m_trace;
    t.beginNs = m_beganNs - m_runStartNs;
    t.lengthNs = nowNs - m_beganNs;
    t.cpuNs = threadCpuNs() - m_beganCpuNs;
    for (auto* column : {&t.phase, &t.at, &t.cpu, &t.layer, &t.group, &t.collective, &t.kind, &t.bytes, &t.ready,
                         &t.arrived, &t.last, &t.ended})
        column->clear();
    const bool layers = std::ranges::any_of(m_stamps, [](const PhaseStamp& stamp) { return stamp.layer >= 0; });
    Phase before = Phase::kIdle;
    for (const PhaseStamp& stamp : m_stamps) {
        before = pausedOr(before, stamp.phase);
        t.phase.push_back(static_cast<std::int64_t>(before));
        t.at.push_back(stamp.atNs - m_beganNs);
        t.cpu.push_back(stamp.cpuNs - m_beganCpuNs);
        if (layers) t.layer.push_back(stamp.layer);
    }
    for (const CollectiveStamp& stamp : m_collectives.collectives()) {
        t.group.push_back(stamp.group);
        t.collective.push_back(stamp.number);
        t.kind.push_back(stamp.kind);
        t.bytes.push_back(stamp.bytes);
        t.ready.push_back(stamp.readyNs - m_beganNs);
        t.arrived.push_back(stamp.arrivedNs - m_beganNs);
        t.last.push_back(stamp.lastNs < 0 ? -1 : std::max<std::int64_t>(stamp.lastNs - m_beganNs, 0));
        t.ended.push_back(stamp.endedNs - m_beganNs);
    }
    fillMessages();
    separateWaitingFromMoving(t);
}

void StepTracer::fillMessages() {
    StepTrace& t = m_trace;
    for (auto* column : {&t.message, &t.messagePeer, &t.messageBytes, &t.messageSent, &t.messageAt, &t.messageEnded})
        column->clear();
    for (const MessageStamp& stamp : m_collectives.messages()) {
        t.message.push_back(stamp.number);
        t.messagePeer.push_back(stamp.peer);
        t.messageBytes.push_back(stamp.bytes);
        t.messageSent.push_back(stamp.isSent ? 1 : 0);
        t.messageAt.push_back(stamp.atNs - m_beganNs);
        t.messageEnded.push_back(stamp.endedNs - m_beganNs);
    }
}

const StepTrace* StepTracer::end() {
    if (!m_active) return nullptr;
    m_active = false;
    m_phases.recordStamps(nullptr);
    endUnfinishedTrace();
    fillTrace(monotonicNs());
    m_collectives.stopRecording();
    const std::int64_t queued = readCpuWaitNs();
    m_trace.queuedNs = queued < 0 || m_beganQueuedNs < 0 ? -1 : queued - m_beganQueuedNs;
    return reportsWholeTraces() ? &m_trace : nullptr;
}

std::optional<std::int64_t> StepTracer::suggestedInterval() {
    if (isOff() || isRecording()) return {};
    const std::int64_t steps = m_step - m_paceStep;
    if (m_paceStep > 0 && steps < kPaceSteps) return {};
    const std::int64_t now = monotonicNs();
    if (m_paceStep > 0 && now - m_paceNs < kPaceNs && steps < kPaceSteps * m_interval) return {};
    const bool measured = m_paceStep > 0;
    const std::int64_t took = measured ? std::max<std::int64_t>((now - m_paceNs) / steps, 1) : 0;
    m_paceStep = m_step;
    m_paceNs = now;
    if (!measured) return {};
    const auto needed =
        static_cast<std::uint64_t>(std::clamp<std::int64_t>(gapNs(m_options.worldSize) / took, 1, kMaxInterval));
    const auto wanted = static_cast<std::int64_t>(std::bit_floor(needed));
    // Reduces the interval only by a factor of 4 or more, or from 2 to 1: small variations of the steps' duration
    // should not change it.
    if (wanted <= m_interval && 4 * wanted > m_interval && !(wanted == 1 && m_interval == 2)) return {};
    return wanted;
}

void StepTracer::setInterval(std::int64_t steps) {
    m_interval = std::clamp<std::int64_t>(steps, 1, kMaxInterval);
}

void StepTracer::recordSteps(std::int64_t steps) {
    reserve();
    m_recordUntil = m_step + 1 + steps;
}

}  // namespace ringside
