// SPDX-License-Identifier: Apache-2.0
#include "comm/tcp/tcp_count.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstddef>
#include <limits>

namespace ringside {

std::optional<TcpCount> readTcpCount(int socket) {
    tcp_info info{};
    socklen_t size = sizeof info;
    if (::getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return {};
    if (size < offsetof(tcp_info, tcpi_sndbuf_limited)) return {};
    // Until the kernel has measured a round trip, it reports the largest value of this type.
    if (info.tcpi_min_rtt == std::numeric_limits<std::uint32_t>::max()) return {};
    const auto signedOf = [](std::uint64_t value) {
        return static_cast<std::int64_t>(std::min<std::uint64_t>(value, std::numeric_limits<std::int64_t>::max()));
    };
    return TcpCount{
        .roundTripUs = info.tcpi_min_rtt,
        .bytes = signedOf(info.tcpi_bytes_acked),
        .busyUs = std::max<std::int64_t>(signedOf(info.tcpi_busy_time) - signedOf(info.tcpi_rwnd_limited), 0)};
}

}  // namespace ringside
