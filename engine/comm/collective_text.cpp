// SPDX-License-Identifier: Apache-2.0
#include "comm/collective_text.h"

#include <array>

namespace ringside {
namespace {

std::string withThousands(std::uint64_t number) {
    std::string digits = std::to_string(number);
    for (std::size_t position = digits.size(); position > 3;) {
        position -= 3;
        digits.insert(position, 1, ',');
    }
    return digits;
}

}  // namespace

std::string describeValues(CommType type, std::uint64_t count) {
    static constexpr std::array<const char*, 4> kNames{" float", " double", " integer", " byte"};
    return withThousands(count) + kNames[static_cast<std::size_t>(type) % kNames.size()] + (count == 1 ? "" : "s");
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
