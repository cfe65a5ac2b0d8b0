// SPDX-License-Identifier: Apache-2.0
#include "comm/collective_text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include "base/text/number_text.h"

namespace ringside {

std::string describeValues(CommType type, std::uint64_t count) {
    static constexpr std::array<const char*, 4> kNames{"float", "double", "integer", "byte"};
    // Largest number of elements that the text can show. If a faulty peer sends a larger number, the text shows this
    // one.
    constexpr std::uint64_t kMax = std::numeric_limits<std::int64_t>::max();
    return counted(static_cast<std::int64_t>(std::min(count, kMax)),
                   kNames[static_cast<std::size_t>(type) % kNames.size()]);
}

std::string describeCollective(CollectiveKind kind, CommType type, std::uint64_t count) {
    static constexpr std::array<const char*, 5> kNames{"all-reduce", "broadcast", "all-gather", "reduce-scatter",
                                                       "barrier"};
    std::string name = kNames[static_cast<std::size_t>(kind) % kNames.size()];
    return kind == CollectiveKind::kBarrier ? name : name + " of " + describeValues(type, count);
}

std::string describeDuration(std::chrono::milliseconds duration) {
    auto count = duration.count();
    return count % 1000 == 0 ? std::to_string(count / 1000) + " s" : std::to_string(count) + " ms";
}

}  // namespace ringside
