// SPDX-License-Identifier: Apache-2.0
#include "sampling/plan/plan_memory.h"

#include <string>

#include "base/text/number_text.h"

namespace ringside {
std::optional<Problem> planMemoryProblem(std::int64_t size, std::int64_t bytesPerSample, std::int64_t availableBytes) {
    const std::int64_t needed = size * bytesPerSample;
    if (availableBytes <= 0 || needed <= availableBytes) return {};
    return Problem{"dataset size",
                   "is " + grouped(size) + "; a plan of this size needs up to " + memoryText(needed) +
                       " of memory, and " + memoryText(availableBytes) + " are available",
                   "choose at most " + grouped(availableBytes / bytesPerSample) + " samples, or end other programs"};
}

}  // namespace ringside
