// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "cost/cost_subject.h"

namespace ringside {

// What a rank sends in a step of a whole batch, in bytes, as communicators count: rings send 2 (N-1)/N of an
// all-reduced buffer and (N-1)/N of a gathered or scattered one. Without the norms that are only measured now and then.
struct StepTraffic {
    std::int64_t gradients = 0;
    std::int64_t parameters = 0;   // gathered
    std::int64_t activations = 0;  // to the next stage, and gradients back
    std::int64_t rest = 0;         // losses, and norms for clipping
    int collectives = 0;
    int messages = 0;

    std::int64_t all() const { return gradients + parameters + activations + rest; }
    bool operator==(const StepTraffic&) const = default;
};

StepTraffic predictTraffic(const CostSubject& subject, const StrategyPlan& plan, int rank);

// What a stage sends to the next in a step, and gets back.
std::int64_t edgeBytes(const CostSubject& subject, const StrategyPlan& plan, std::size_t stage);

}  // namespace ringside
