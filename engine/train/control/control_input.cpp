// SPDX-License-Identifier: Apache-2.0
#include "train/control/control_input.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>

#include "base/errors/errors.h"
#include "base/processors/processors.h"
#include "base/system/files.h"
#include "base/time/monotonic.h"
#include "launch/wire/line_socket.h"

namespace ringside {

ControlInput::ControlInput(int fd, std::function<void()> onEnd, std::function<void(std::int64_t)> onRunStart)
    : m_fd(fd), m_onEnd(std::move(onEnd)), m_onRunStart(std::move(onRunStart)), m_wake(eventfd(0, EFD_CLOEXEC)) {
    if (!m_wake) throw IoError("an event descriptor for the control input cannot be created: " + errnoText(errno));
    m_thread = std::thread([this] { runThread(); });
}

ControlInput::~ControlInput() {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = write(m_wake.get(), &one, sizeof one);
    m_thread.join();
}

std::vector<ControlCommand> ControlInput::take(std::size_t most) {
    const std::lock_guard lock(m_mutex);
    const auto count = static_cast<std::ptrdiff_t>(std::min(most, m_waiting.size()));
    std::vector<ControlCommand> taken(m_waiting.begin(), m_waiting.begin() + count);
    m_waiting.erase(m_waiting.begin(), m_waiting.begin() + count);
    m_pending.store(!m_waiting.empty(), std::memory_order_relaxed);
    return taken;
}

bool ControlInput::waitForCommand(std::chrono::microseconds most) {
    std::unique_lock lock(m_mutex);
    return m_came.wait_for(lock, most, [this] { return !m_waiting.empty(); });
}

bool ControlInput::waitForStop(std::chrono::microseconds most) {
    std::unique_lock lock(m_mutex);
    return m_came.wait_for(lock, most, [this] {
        return std::ranges::find(m_waiting, ControlKind::kStop, &ControlCommand::kind) != m_waiting.end();
    });
}

void ControlInput::runThread() {
    nameThread("control");
    std::array<pollfd, 2> watched{{{m_fd, POLLIN, 0}, {m_wake.get(), POLLIN, 0}}};
    for (;;) {
        if (poll(watched.data(), watched.size(), -1) < 0) {
            if (errno == EINTR) continue;
            return m_onEnd();
        }
        if (watched[1].revents) return;
        if (watched[0].revents && !readSome()) return m_onEnd();
    }
}

bool ControlInput::readSome() {
    std::array<char, 4096> bytes;
    const ssize_t got = read(m_fd, bytes.data(), bytes.size());
    if (got < 0) return errno == EINTR || errno == EAGAIN;
    if (got == 0) return false;
    m_lines.feed({bytes.data(), static_cast<std::size_t>(got)}, [this](std::string_view line) { receiveLine(line); });
    return true;
}

// Answers the supervisor's query for the time on this host's clock. Drops the answer if it cannot be sent immediately,
// because a late answer would give a wrong offset.
void ControlInput::answerTimeQuery(const TimeQuery& query) const {
    sendLine(m_fd, encodeTimeAnswer({query.sentUs, monotonicUs()}), std::chrono::steady_clock::now());
    if (query.zeroUs && m_onRunStart) m_onRunStart(*query.zeroUs);
}

// Answers the clock query in the line, or adds the command in the line to the queue. If the queue is full, a stop
// command replaces the newest queued command, and any other command is dropped.
void ControlInput::receiveLine(std::string_view line) {
    if (const auto query = decodeTimeQuery(line)) return answerTimeQuery(*query);
    const Result<ControlCommand> command = decodeControl(line);
    if (!command) return;
    const std::lock_guard lock(m_mutex);
    if (m_waiting.size() >= kMaxWaiting) {
        if (command.value().kind != ControlKind::kStop) return;
        m_waiting.pop_back();
    }
    m_waiting.push_back(command.value());
    m_pending.store(true, std::memory_order_relaxed);
    m_came.notify_one();
}

}  // namespace ringside
