// SPDX-License-Identifier: Apache-2.0
#include "launch/classroom/classroom_member.h"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "base/system/files.h"
#include "launch/wire/line_socket.h"

namespace ringside {
namespace {

constexpr std::size_t kMaxWaiting = std::size_t{4} << 20;  // maximum size of the unsent lines of a member
constexpr std::size_t kFileChunk = std::size_t{256} << 10;
constexpr int kMaxReads = 16;  // maximum number of reads per call, so that one member cannot block the others

}  // namespace

ClassroomMember::ClassroomMember(int id, std::string name, const Greeting& greeting, UniqueFd socket, Time now)
    : m_id(id),
      m_name(std::move(name)),
      m_address(peerAddress(socket.get(), false)),
      m_hostKey(greeting.hostKey),
      m_pid(greeting.pid),
      m_socket(std::move(socket)),
      m_lastReceivedAt(now) {}

void ClassroomMember::send(const ClassroomLine& line) {
    (m_left > 0 ? m_after : m_output) += encodeClassroomLine(line) + "\n";
}

bool ClassroomMember::sendFile(std::int64_t bytes, std::filesystem::path file) {
    if (m_requested.size() >= kMaxRequested) return false;
    m_requested.push_back({bytes, std::move(file)});
    return true;
}

bool ClassroomMember::read(Time now, const LineSink& sink) {
    std::array<char, 65536> bytes;
    bool good = true;
    for (int round = 0; round < kMaxReads; ++round) {
        const ssize_t got = ::recv(m_socket.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return errno == EAGAIN || errno == EWOULDBLOCK;
        if (got == 0) return false;
        m_lastReceivedAt = now;
        m_lines.feed({bytes.data(), static_cast<std::size_t>(got)}, [&](std::string_view text) {
            const auto line = decodeClassroomLine(text);
            good = good && line.has_value();
            if (good) sink(*line);
        });
        if (good && m_lines.skippedLines() == 0) continue;
        misuse = "sent a line that is not a message of a classroom";
        return false;
    }
    return true;
}

// Queues the next bytes of the file in transfer, or begins the next file. Skips a file that no longer exists, such as a
// checkpoint that a newer one has replaced, because the next offer lists the current files. Returns false if the file
// in transfer has become shorter.
bool ClassroomMember::fillFromFile() {
    if (m_left == 0) {
        const Requested next = std::move(m_requested.front());
        m_requested.pop_front();
        Result<UniqueFd> file = openFile(next.file);
        if (!file) return true;
        m_file = std::move(file).value();
        send({ClassroomLine::Kind::kBytes, {}, next.bytes});
        m_left = next.bytes;
        return true;
    }
    std::string chunk(std::min(kFileChunk, static_cast<std::size_t>(m_left)), '\0');
    const ssize_t got = ::read(m_file.get(), chunk.data(), chunk.size());
    if (got <= 0) return false;  // the file has become shorter: the announced number of bytes cannot be sent
    m_output.append(chunk, 0, static_cast<std::size_t>(got));
    m_left -= got;
    if (m_left == 0) m_output += std::exchange(m_after, {});
    return true;
}

bool ClassroomMember::write() {
    if (m_output.size() + m_after.size() > kMaxWaiting) return false;
    for (;;) {
        while (m_output.empty() && (m_left > 0 || !m_requested.empty())) {
            if (!fillFromFile()) return false;
        }
        if (m_output.empty()) return true;
        const ssize_t sent = ::send(m_socket.get(), m_output.data(), m_output.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0) return errno == EAGAIN || errno == EWOULDBLOCK;
        m_output.erase(0, static_cast<std::size_t>(sent));
    }
}

// Reads until the guest closes the connection, because closing a socket with unread input can discard lines that are
// still on their way to the guest.
bool ClassroomMember::finishSending() {
    if (!write()) return true;
    if (hasOutput()) return false;
    if (!std::exchange(m_isOutputShutDown, true)) ::shutdown(m_socket.get(), SHUT_WR);
    return !read(m_lastReceivedAt, [](const ClassroomLine&) {});
}

}  // namespace ringside
