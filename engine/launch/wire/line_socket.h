// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/system/unique_fd.h"

namespace ringside {

using LineDeadline = std::chrono::steady_clock::time_point;

// Result of one attempt to read a line.
struct LineResult {
    enum class State { kLine, kNotYet, kEnded, kTooLong };
    State state = State::kNotYet;
    std::string text;  // content of the line, without its newline
};

// Reader of lines from a stream socket that carries other data after a line: never reads beyond the newline. Stores the
// beginning of an unfinished line, so that poll() reports the socket again only when more bytes arrive.
class LineReader {
  public:
    // maxBytes: maximum length of a line, without its newline.
    explicit LineReader(std::size_t maxBytes) : m_maxBytes(maxBytes) {}

    // Reads the available bytes of the current line without blocking.
    LineResult read(int socket);

  private:
    std::size_t m_maxBytes;
    std::string m_begun;
};

// Blocks until a line has arrived and returns it. Returns nothing if the deadline passes, the peer closes the
// connection or the line is too long.
std::optional<std::string> receiveLine(int socket, std::size_t maxBytes, LineDeadline deadline);
// Sends a line and its newline. False on an error or if the deadline passes before everything is written.
bool sendLine(int socket, std::string_view line, LineDeadline deadline);

// Returns the time until the deadline as a timeout for poll(): milliseconds, 0 to 60,000.
int pollTimeout(LineDeadline deadline);

// Returns the address of the other end (peerAddress) or of this end (ownAddress), "10.0.0.7:21345" with the port; empty
// on an error.
std::string peerAddress(int socket, bool withPort);
std::string ownAddress(int socket, bool withPort);

// Connects to a host name or address and returns a blocking socket. Tries the resolved addresses in order; empty if
// none accepts before the deadline.
UniqueFd connectTo(const std::string& host, int port, LineDeadline deadline);

// Sets TCP_NODELAY and SO_KEEPALIVE on a TCP socket.
void sendWithoutDelay(int socket);

}  // namespace ringside
