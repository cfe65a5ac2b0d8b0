// SPDX-License-Identifier: Apache-2.0
#include "watch/link/watched_rank.h"

#include <sys/socket.h>

#include "base/text/line_stream.h"
#include "base/time/monotonic.h"
#include "telemetry/events/codec.h"

namespace ringside {
namespace {

constexpr std::size_t kMaxReadings = 16;  // limit of the number of clock readings (answers to time queries) that
                                          // wait for takeClockReadings()

}  // namespace

WatchedRank::WatchedRank(const Greeting& greeting, UniqueFd socket)
    : RankLink(greeting.rank),
      m_host(greeting.host),
      m_hostKey(greeting.hostKey),
      m_pid(static_cast<pid_t>(greeting.pid)),
      m_socket(std::move(socket)),
      m_lines(Decoder::kMaxLine) {}

bool WatchedRank::readTelemetry(const LineSink& line) {
    if (!m_socket) return false;
    if (readAvailable(m_socket.get(), m_lines, [&](std::string_view text) { readLine(text, line); })) return true;
    closeConnection();
    return false;
}

void WatchedRank::closeConnection() {
    m_socket.reset();
    m_end = ChildEnd{true, 0, true};
}

void WatchedRank::readLine(std::string_view line, const LineSink& sink) {
    const std::optional<TimeAnswer> time = decodeTimeAnswer(line);
    if (!time) return sink(line);
    if (m_clockReadings.size() < kMaxReadings)
        m_clockReadings.push_back({time->sentUs, time->us, monotonicNs() / 1000});
}

void WatchedRank::sendControl(std::string_view line) const {
    if (!m_socket) return;
    [[maybe_unused]] const ssize_t sent = ::send(m_socket.get(), line.data(), line.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
}

}  // namespace ringside
