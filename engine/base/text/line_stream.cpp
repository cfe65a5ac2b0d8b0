// SPDX-License-Identifier: Apache-2.0
#include "base/text/line_stream.h"

#include <unistd.h>

#include <array>
#include <cerrno>

namespace ringside {

bool readAvailable(int fd, LineSplitter& lines, const std::function<void(std::string_view)>& line) {
    std::array<char, 1U << 16> buffer;
    // The number of reads per call is limited, so that one descriptor does not block the caller's other descriptors.
    for (int rounds = 0; rounds < 64; ++rounds) {
        const ssize_t got = ::read(fd, buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return errno == EAGAIN || errno == EWOULDBLOCK;
        if (got == 0) return false;
        lines.feed({buffer.data(), static_cast<std::size_t>(got)}, line);
    }
    return true;
}

}  // namespace ringside
