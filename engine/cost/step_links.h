// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "cost/cost_subject.h"

namespace ringside {

// What one rank sends another in a step of a whole batch, in bytes: to the next in the ring of those it averages or
// gathers with, and to the neighbours in the pipeline. A rank's links add up to its StepTraffic, but for the rest.
struct StepLink {
    enum class What { kGradients, kParameters, kActivations, kActivationGradients };
    int from = 0;
    int to = 0;
    What what = What::kGradients;
    std::int64_t bytes = 0;
    bool operator==(const StepLink&) const = default;
};

std::vector<StepLink> stepLinks(const CostSubject& subject, const StrategyPlan& plan);

}  // namespace ringside
