// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/system/unique_fd.h"

namespace ringside {

using LineDeadline = std::chrono::steady_clock::time_point;

struct TakenLine {
    enum class State { kLine, kNotYet, kEnded, kTooLong };
    State state = State::kNotYet;
    std::string text;  // without its newline
};

// Collects one line after another from a stream socket that carries something else after the line: never reads past the
// newline. Keeps the beginning of an unfinished line, so that poll() reports the socket again only when more bytes
// come.
class LineReader {
  public:
    // maxBytes: longest line, without its newline.
    explicit LineReader(std::size_t maxBytes) : m_maxBytes(maxBytes) {}

    // Reads the available bytes of the current line without blocking.
    TakenLine read(int socket);

  private:
    std::size_t m_maxBytes;
    std::string m_begun;
};

// The next line before the deadline, or nothing: the time is over, the peer is gone, the line is too long.
std::optional<std::string> receiveLine(int socket, std::size_t maxBytes, LineDeadline deadline);
// With its newline; false when it cannot be written whole before the deadline.
bool sendLine(int socket, std::string_view line, LineDeadline deadline);

// Milliseconds until then for poll(), at least 0.
int pollTimeout(LineDeadline deadline);

// "10.0.0.7:21345" of either end; empty when there is none.
std::string peerAddress(int socket, bool withPort);
std::string ownAddress(int socket, bool withPort);

// A connection that is made before the deadline; nothing when not. Name or number; first come, first served.
UniqueFd connectTo(const std::string& host, int port, LineDeadline deadline);

// Descriptors that speak TCP send at once.
void sendWithoutDelay(int socket);

}  // namespace ringside
