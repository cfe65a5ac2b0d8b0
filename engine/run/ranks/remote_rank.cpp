// SPDX-License-Identifier: Apache-2.0
#include "run/ranks/remote_rank.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <csignal>
#include <utility>

#include "base/text/line_stream.h"
#include "base/time/monotonic.h"
#include "launch/wire/greeting.h"
#include "telemetry/events/codec.h"

namespace ringside {
namespace {

// Time for which telemetry is still read after the rank's control connection has closed, because the connections are
// independent: over a link that loses packets, the last telemetry lines can arrive seconds after the exit code.
constexpr std::chrono::seconds kLastTelemetry{30};
constexpr std::chrono::seconds kTelemetryOfLost{2};

// Maximum number of clock readings of the rank (answers to queries of HostClocks) that are stored until they are
// taken. Further readings are discarded.
constexpr std::size_t kMaxReadings = 16;

void stopBlocking(int fd) {
    ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
}

}  // namespace

RemoteRank::RemoteRank(Guest guest, Clock now)
    : RankLink(guest.rank),
      m_guest(std::move(guest)),
      m_now(std::move(now)),
      m_telemetryLines(Decoder::kMaxLine),
      m_controlLines(kMaxGreetingBytes) {
    stopBlocking(m_guest.control.get());
    stopBlocking(m_guest.telemetry.get());
}

bool RemoteRank::readTelemetry(const LineSink& line) {
    if (!m_guest.telemetry) return false;
    if (readAvailable(m_guest.telemetry.get(), m_telemetryLines, line)) return true;
    m_guest.telemetry.reset();
    return false;
}

void RemoteRank::readControlLine(std::string_view line) {
    if (const auto time = decodeTimeAnswer(line)) {
        if (m_clockReadings.size() < kMaxReadings)
            m_clockReadings.push_back({time->sentUs, time->us, monotonicNs() / 1000});
        return;
    }
    if (isStopRequest(line)) m_stopWanted = true;
    const std::optional<Farewell> farewell = decodeFarewell(line);
    if (!farewell) return;
    m_announcedEnd = ChildEnd{false, farewell->exitCode, false, farewell->left};
    if (!farewell->text.empty()) m_lastLines = {farewell->text};
}

const std::optional<ChildEnd>& RemoteRank::poll() {
    if (m_end) return m_end;
    const TimePoint now = m_now();
    if (m_guest.control && !readAvailable(m_guest.control.get(), m_controlLines,
                                          [this](std::string_view line) { readControlLine(line); })) {
        if (m_announcedEnd) m_controlAfterFarewell = std::move(m_guest.control);
        m_guest.control.reset();
        m_closedAt = now;
    }
    const bool all = !m_guest.telemetry || now - m_closedAt > (m_announcedEnd ? kLastTelemetry : kTelemetryOfLost);
    if (!m_guest.control && all) {
        m_end = m_announcedEnd.value_or(ChildEnd{true, 0, true});
        m_guest.telemetry.reset();
    }
    return m_end;
}

void RemoteRank::signal(int number) {
    if (m_end || !m_guest.control) return;
    ::shutdown(m_guest.control.get(), SHUT_RDWR);  // the rank exits when its control connection closes
    if (number != SIGKILL) return;
    m_guest.control.reset();
    m_guest.telemetry.reset();
    m_end = m_announcedEnd.value_or(ChildEnd{true, SIGKILL, false});
}

void RemoteRank::sendControl(std::string_view line) const {
    if (!m_guest.control) return;
    [[maybe_unused]] const ssize_t sent =
        ::send(m_guest.control.get(), line.data(), line.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
}

}  // namespace ringside
