// SPDX-License-Identifier: Apache-2.0
#include "sampling/plan/plan_memory.h"

#include <array>
#include <cstdio>
#include <string>

#include "base/text/number_text.h"

namespace ringside {
namespace {

std::string gigabytes(std::int64_t bytes) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.1f GB", static_cast<double>(bytes) / 1e9);
    return text.data();
}

}  // namespace

std::optional<Problem> planMemoryProblem(std::int64_t size, std::int64_t bytesPerSample, std::int64_t availableBytes) {
    const std::int64_t needed = size * bytesPerSample;
    if (availableBytes <= 0 || needed <= availableBytes) return {};
    return Problem{"dataset size",
                   "is " + grouped(size) + "; a plan of this size needs up to " + gigabytes(needed) +
                       " of memory, and " + gigabytes(availableBytes) + " are available",
                   "choose at most " + grouped(availableBytes / bytesPerSample) + " samples, or end other programs"};
}

}  // namespace ringside
