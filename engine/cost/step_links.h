// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "plan/strategy_plan.h"

namespace ringside {

// Link from one rank to another, and the bytes that are sent over it in a step with full batches: gradients and
// parameters to the next rank in its ring, activations and their gradients to neighbouring pipeline stages. The sum
// over all links of a rank equals its StepTraffic without StepTraffic::rest.
struct StepLink {
    enum class What { kGradients, kParameters, kActivations, kActivationGradients };
    int from = 0;
    int to = 0;
    What what = What::kGradients;
    std::int64_t bytes = 0;
    bool operator==(const StepLink&) const = default;
};

// Returns the links between all ranks, sorted by the rank that sends.
std::vector<StepLink> stepLinks(const PlanSubject& subject, const StrategyPlan& plan);

}  // namespace ringside
