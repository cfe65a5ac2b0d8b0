// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/system/unique_fd.h"

namespace ringside {

using LineDeadline = std::chrono::steady_clock::time_point;

// Lines over a stream socket that goes on with something else afterwards: never reads past the newline.
struct TakenLine {
    enum class State { kLine, kNotYet, kEnded, kTooLong };
    State state = State::kNotYet;
    std::string text;  // without its newline
};

// What is there already, of at most maxBytes.
TakenLine readLineNow(int socket, std::size_t maxBytes);
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
