// SPDX-License-Identifier: Apache-2.0
#include "telemetry/events/sink.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

#include "base/processors/processors.h"
#include "base/time/monotonic.h"
#include "telemetry/events/codec.h"

namespace ringside {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr int kChecksPerBeat = 4;
constexpr std::size_t kMaxQueuedEvents = 1U << 14;
constexpr std::size_t kMaxQueuedIndices = 1U << 20;
constexpr std::size_t kMaxFrameSteps = 4096;
// Maximum number of steps in one line if the encoder thread runs only on idle CPUs. To encode such a line takes about
// 50 us, and to read it as long; meanwhile, a rank may need this CPU.
constexpr std::size_t kMaxFrameStepsWhereIdle = 512;
// Number of steps since the last write above which the next write waits for three frame intervals instead of one. No
// viewer shows single steps at such a rate, and each write interrupts a rank for which all other ranks wait.
constexpr std::uint64_t kBlurSteps = 100;
// Minimum time between two traces that are sent immediately, in microseconds. A trace does not wait for the next write
// of steps, because it may be the last information about a rank that is killed.
constexpr std::int64_t kTraceHurriesUs = 15'000;
// Maximum number of encoded bytes that wait to be written. Above it, nothing is encoded, so that the ring buffer fills
// up and records are dropped.
constexpr std::size_t kMaxPendingBytes = 1U << 20;

std::int64_t residentBytes() {
    std::FILE* file = std::fopen("/proc/self/statm", "re");
    if (file == nullptr) return 0;
    long long total = 0;
    long long resident = 0;
    const int got = std::fscanf(file, "%lld %lld", &total, &resident);
    std::fclose(file);
    return got == 2 ? resident * ::sysconf(_SC_PAGESIZE) : 0;
}

// Writes as many bytes as possible to a socket or pipe without blocking. If a socket is closed, fails without a SIGPIPE
// signal.
ssize_t writeSome(int fd, const std::string& bytes) {
    ssize_t written = ::send(fd, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (written < 0 && errno == ENOTSOCK) written = ::write(fd, bytes.data(), bytes.size());
    return written;
}

// True for events that are sent immediately. States and results are sent with the next write of steps, because they
// occur thousands of times per second if epochs are short.
bool isUrgent(const Event& event) {
    return std::holds_alternative<LogLine>(event) || std::holds_alternative<CheckpointSaved>(event);
}

std::size_t indicesIn(const Event& event) {
    const auto* indices = std::get_if<ConsumedIndices>(&event);
    return indices == nullptr ? 0 : indices->index.size();
}

bool fits(const StepsFrame& frame, std::size_t most, const StepRecord& record) {
    if (frame.step.empty()) return true;
    return frame.epoch == record.epoch && frame.learningRate == record.learningRate && frame.step.size() < most &&
           frame.correct.empty() == (record.correct < 0) && frame.dataUs.empty() == (record.dataUs < 0);
}

// Appends the time in each phase of a traced step. The column of a phase stays empty until a traced step has spent time
// in the phase.
void appendTraced(StepsFrame& frame, const StepRecord& record) {
    const std::size_t before = frame.traced.size();
    frame.traced.push_back(record.step);
    for (std::size_t phase = 0; phase < record.phaseNs.size(); ++phase) {
        std::vector<std::int64_t>& column = frame.phaseNs[phase];
        const auto ns = static_cast<std::int64_t>(record.phaseNs[phase]);
        if (column.empty() && ns == 0) continue;
        column.resize(before, 0);
        column.push_back(ns);
    }
}

void append(StepsFrame& frame, const StepRecord& record) {
    frame.epoch = record.epoch;
    frame.learningRate = record.learningRate;
    frame.step.push_back(record.step);
    frame.loss.push_back(record.loss);
    if (record.correct >= 0) frame.correct.push_back(record.correct);
    frame.samples.push_back(record.samples);
    frame.endUs.push_back(record.endUs);
    // The norm is not measured in every step: the column is created at the first measured value.
    if (!frame.gradientNorm.empty() || !std::isnan(record.gradientNorm)) {
        frame.gradientNorm.resize(frame.step.size() - 1, std::numeric_limits<double>::quiet_NaN());
        frame.gradientNorm.push_back(record.gradientNorm);
    }
    if (record.dataUs >= 0) frame.dataUs.push_back(record.dataUs);
    if (record.traced) appendTraced(frame, record);
}

}  // namespace

TelemetrySink::TelemetrySink(const SinkOptions& options)
    : m_options(options), m_runStartUs(options.runStartUs), m_ring(options.ringCapacity) {
    if (m_options.fd >= 0) ::fcntl(m_options.fd, F_SETFL, ::fcntl(m_options.fd, F_GETFL) | O_NONBLOCK);
    m_thread = std::thread([this] { runEncoder(); });
    m_heartbeatThread = std::thread([this] { runHeartbeatThread(); });
}

TelemetrySink::~TelemetrySink() {
    flush(milliseconds(1000));
    {
        const std::lock_guard lock(m_mutex);
        m_stopping = true;
        m_urgent = true;
    }
    m_wake.notify_one();
    m_stopped.notify_one();
    m_thread.join();
    m_heartbeatThread.join();
    // Sends a last heartbeat, so that the dropped steps and events since the previous heartbeat are reported.
    if (droppedSteps() + droppedEvents() != m_reportedDrops) write(heartbeat(), milliseconds(100));
}

void TelemetrySink::step(const StepRecord& record) {
    if (!m_ring.push(record)) m_droppedSteps.fetch_add(1, std::memory_order_relaxed);
}

void TelemetrySink::send(Event event) {
    bool urgent = isUrgent(event);
    const bool isTrace = std::holds_alternative<StepTrace>(event);
    {
        const std::lock_guard lock(m_mutex);
        if (const std::int64_t now = isTrace ? nowUs() : 0; isTrace && now - m_traceUs >= kTraceHurriesUs) {
            urgent = true;
            m_traceUs = now;
        }
        const std::size_t indices = indicesIn(event);
        // A RankState is never dropped, because the last one shows how the rank ended.
        const bool mayDrop = !std::holds_alternative<RankState>(event);
        if ((mayDrop && m_events.size() >= kMaxQueuedEvents) || m_queuedIndices + indices > kMaxQueuedIndices) {
            m_droppedEvents.fetch_add(1, std::memory_order_relaxed);
            return;
        }
        m_queuedIndices += indices;
        ++m_sentEvents;
        m_events.push_back({m_ring.pushed(), std::move(event)});
        m_urgent = m_urgent || urgent;
    }
    if (urgent) m_wake.notify_one();
}

void TelemetrySink::log(LogLevel level, const std::string& text) {
    send(LogLine{m_options.rank, level, text, nowUs()});
}

void TelemetrySink::state(RankStage state, const std::string& device) {
    send(RankState{m_options.rank, state, device, 0, nowUs()});
}

void TelemetrySink::failed(int missingRank) {
    send(RankState{m_options.rank, RankStage::kFailed, {}, 0, nowUs(), missingRank});
}

void TelemetrySink::watchCollective(std::function<std::int64_t()> collective) {
    const std::lock_guard lock(m_mutex);
    m_collective = std::move(collective);
}

void TelemetrySink::watchStep(std::function<std::optional<StepTrace>()> step) {
    const std::lock_guard lock(m_mutex);
    m_step = std::move(step);
}

void TelemetrySink::watchGpu(std::function<GpuReading()> gpu) {
    const std::lock_guard lock(m_mutex);
    m_gpu = std::move(gpu);
}

bool TelemetrySink::flush(milliseconds deadline) {
    const auto until = steady_clock::now() + deadline;
    const Mark wanted = deliveredMark();
    while (isBacklogged()) {
        if (!write("", std::chrono::ceil<milliseconds>(until - steady_clock::now()))) return false;
    }
    encodeUpTo(wanted, [] {});
    return write("", std::chrono::ceil<milliseconds>(until - steady_clock::now())) && !m_readerGone;
}

std::int64_t TelemetrySink::nowUs() const {
    return monotonicUs() - m_runStartUs;
}

void TelemetrySink::runEncoder() {
    nameThread("telemetry");
    if (m_options.onlyWhereIdle) setIdlePolicy();
    std::uint64_t steps = 0;  // number of steps in the previous write
    for (;;) {
        bool stopping = false;
        {
            std::unique_lock lock(m_mutex);
            m_wake.wait_for(lock, steps > kBlurSteps ? 3 * m_options.frameInterval : m_options.frameInterval,
                            [&] { return m_urgent; });
            m_urgent = false;
            stopping = m_stopping;
        }
        m_slices.begin();
        const std::uint64_t sent = m_ring.popped();
        if (!isBacklogged()) encodeUpTo(deliveredMark(), [this] { m_slices.next(); });
        write("", m_options.frameInterval);
        steps = m_ring.popped() - sent;
        m_encodedUs = nowUs();
        if (stopping) return;
    }
}

void TelemetrySink::runHeartbeatThread() {
    nameThread("heartbeat");
    bool reportedStall = false;
    for (int check = 0;; ++check) {
        const bool still = isStalled();
        // Sends a heartbeat as soon as the rank has made no progress for a second, because viewers need it to find the
        // missing rank.
        if (check % kChecksPerBeat == 0 || (still && !reportedStall)) {
            if (!isBacklogged())
                write(heartbeat() + (still && !reportedStall ? encodeUnfinishedTrace() : ""), milliseconds(0));
        }
        reportedStall = still;
        if (isOverdue()) {
            if (!isBacklogged()) encodeUpTo(deliveredMark(), [] {});
            write("", m_options.heartbeatInterval / kChecksPerBeat);
        }
        std::unique_lock lock(m_mutex);
        if (m_stopped.wait_for(lock, m_options.heartbeatInterval / kChecksPerBeat, [&] { return m_stopping; })) return;
    }
}

// True if the rank's position has not changed for at least a second between checks by the heartbeat thread.
bool TelemetrySink::isStalled() {
    constexpr std::int64_t kStalledUs = 1'000'000;
    Position now{m_progress.step.load(std::memory_order_relaxed), m_progress.batches.load(std::memory_order_relaxed), 0,
                 m_progress.phase.now()};
    {
        const std::lock_guard lock(m_mutex);
        if (m_collective) now.collective = m_collective();
    }
    if (now != m_position) {
        m_position = now;
        m_positionUs = nowUs();
    }
    return nowUs() - m_positionUs >= kStalledUs;
}

// True if records and events have waited too long for the encoder thread. With SinkOptions::onlyWhereIdle, this thread
// gets no CPU time while other programs use all CPUs.
bool TelemetrySink::isOverdue() {
    constexpr std::int64_t kLateUs = 250'000;
    const std::int64_t frameUs = std::chrono::microseconds(m_options.frameInterval).count();
    return m_options.onlyWhereIdle && nowUs() - m_encodedUs > 4 * frameUs + kLateUs;
}

TelemetrySink::Mark TelemetrySink::deliveredMark() {
    const std::lock_guard lock(m_mutex);
    return {m_sentEvents, m_ring.pushed()};
}

void TelemetrySink::encodeUpTo(const Mark& mark, const std::function<void()>& next) {
    while (!m_readerGone && encodePiece(mark)) next();
}

// Encodes the steps that were recorded before the next event. If there are none, encodes the event.
bool TelemetrySink::encodePiece(const Mark& mark) {
    const std::lock_guard encoding(m_encoding);
    std::optional<Queued> queued;
    std::uint64_t stepsBefore = mark.steps;
    if (m_encodedEvents < mark.events) {
        const std::lock_guard lock(m_mutex);
        stepsBefore = m_events.front().stepsBefore;
        if (m_ring.popped() >= stepsBefore) {
            queued = std::move(m_events.front());
            m_events.pop_front();
            m_queuedIndices -= indicesIn(queued->event);
        }
    }
    if (queued) ++m_encodedEvents;
    const std::string line = queued ? encode(std::move(queued->event)) : takeSteps(stepsBefore);
    if (line.empty()) return false;
    const std::lock_guard lock(m_writing);
    m_out += line;
    return true;
}

// Encodes the step records whose number is less than `until`, up to the maximum for one line. Returns an empty text if
// there are none.
std::string TelemetrySink::takeSteps(std::uint64_t until) {
    StepsFrame frame;
    frame.rank = m_options.rank;
    const std::size_t most = m_options.onlyWhereIdle ? kMaxFrameStepsWhereIdle : kMaxFrameSteps;
    StepRecord record;
    while (m_ring.popped() < until) {
        const StepRecord* next = m_ring.front();
        if (next == nullptr || !fits(frame, most, *next)) break;
        m_ring.pop(record);
        append(frame, record);
    }
    return frame.step.empty() ? std::string() : encode(std::move(frame));
}

std::string TelemetrySink::heartbeat() {
    Heartbeat beat;
    beat.rank = m_options.rank;
    beat.step = m_progress.step.load(std::memory_order_relaxed);
    beat.epoch = m_progress.epoch.load(std::memory_order_relaxed);
    beat.phase = m_progress.phase.now();
    {
        const std::lock_guard lock(m_mutex);
        if (m_collective) beat.collective = m_collective();
        if (m_gpu) beat.gpu = m_gpu();
    }
    beat.residentBytes = residentBytes();
    beat.droppedSteps = droppedSteps();
    beat.droppedEvents = droppedEvents();
    m_reportedDrops = beat.droppedSteps + beat.droppedEvents;
    beat.timeUs = nowUs();
    beat.stalledUs = beat.timeUs - m_positionUs;
    beat.batches = m_progress.batches.load(std::memory_order_relaxed);
    return encode(beat);
}

// Encodes the trace of the current, unfinished step, so that the rank's last position is known if the rank sends
// nothing afterwards.
std::string TelemetrySink::encodeUnfinishedTrace() {
    const std::lock_guard lock(m_mutex);
    const std::optional<StepTrace> step = m_step ? m_step() : std::nullopt;
    return step ? encode(*step) : std::string();
}

bool TelemetrySink::isBacklogged() {
    const std::lock_guard lock(m_writing);
    return m_out.size() > kMaxPendingBytes;
}

// Appends `lines` to the bytes to be written, and writes as many bytes as possible, for at most the duration
// `patience`. Returns true if all bytes were written.
bool TelemetrySink::write(const std::string& lines, milliseconds patience) {
    const auto deadline = steady_clock::now() + patience;
    const std::lock_guard lock(m_writing);
    m_out += lines;
    while (!m_out.empty() && !m_readerGone) {
        const ssize_t written = m_options.fd < 0 ? -1 : writeSome(m_options.fd, m_out);
        if (written > 0) {
            m_out.erase(0, static_cast<std::size_t>(written));
            continue;
        }
        if (m_options.fd >= 0 && errno == EINTR) continue;
        if (m_options.fd < 0 || (errno != EAGAIN && errno != EWOULDBLOCK)) {
            m_readerGone = true;
            break;
        }
        const auto left = std::chrono::ceil<milliseconds>(deadline - steady_clock::now());
        if (left.count() <= 0) return false;
        pollfd waiting{m_options.fd, POLLOUT, 0};
        ::poll(&waiting, 1, static_cast<int>(left.count()));
    }
    m_out.clear();
    return true;
}

}  // namespace ringside
