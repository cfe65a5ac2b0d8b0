// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

namespace ringside {

// What the system counts of a TCP connection (TCP_INFO, tcp(7) and Linux's include/uapi/linux/tcp.h).
struct TcpCount {
    std::int64_t roundTripUs = 0;  // the shortest of the last five minutes
    std::int64_t bytes = 0;        // that were acknowledged
    std::int64_t busyUs = 0;       // with bytes on their way, less the time without room at the receiver
};

// Nothing of what is no TCP connection, or where the system is too old to tell.
std::optional<TcpCount> readTcpCount(int socket);

}  // namespace ringside
