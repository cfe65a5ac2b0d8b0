// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

namespace ringside {

// Statistics that the operating system keeps of a TCP connection (TCP_INFO, tcp(7) and Linux's
// include/uapi/linux/tcp.h).
struct TcpCount {
    std::int64_t roundTripUs = 0;  // shortest round trip of the last five minutes, in microseconds
    std::int64_t bytes = 0;        // number of sent bytes that the receiver acknowledged
    std::int64_t busyUs = 0;       // time with data in flight, in microseconds, excluding the time in which the receive
                                   // buffer of the peer was full
};

// Returns the statistics of a socket. Empty if it is not a TCP connection, before the first round trip, or if the
// system is too old to provide them.
std::optional<TcpCount> readTcpCount(int socket);

}  // namespace ringside
