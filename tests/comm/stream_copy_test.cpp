// SPDX-License-Identifier: Apache-2.0
#include "comm/shm/stream_copy.h"

#include <array>

#include "support/catch.h"

using namespace ringside;

TEST_CASE("a streamed copy moves exactly its bytes, wherever they begin and end") {
    constexpr std::size_t kBytes = 512;
    constexpr std::byte kUntouched{0xEE};
    std::array<std::byte, kBytes> from{};
    for (std::size_t i = 0; i < kBytes; ++i) from[i] = static_cast<std::byte>(i % 251);
    const std::size_t begin = GENERATE(0, 1, 4, 60, 63);
    const std::size_t source = GENERATE(0, 3, 8);
    const std::size_t bytes = GENERATE(0, 1, 63, 64, 65, 128, 131, 300);
    CAPTURE(begin, source, bytes);

    alignas(64) std::array<std::byte, kBytes> to{};
    to.fill(kUntouched);
    streamCopy(to.data() + begin, from.data() + source, bytes);

    bool same = true;
    for (std::size_t i = 0; i < kBytes; ++i) {
        const bool copied = i >= begin && i < begin + bytes;
        same = same && to[i] == (copied ? from[source + i - begin] : kUntouched);
    }
    CHECK(same);
}
