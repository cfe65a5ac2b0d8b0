// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/plan_cache.h"

#include <algorithm>

namespace ringside {

std::optional<ShardPlan> PlanCache::find(const ShardSpec& spec) {
    const std::lock_guard lock(m_mutex);
    const auto known = std::ranges::find_if(m_plans, [&](const ShardPlan& plan) { return plan.spec() == spec; });
    return known == m_plans.end() ? std::nullopt : std::optional(*known);
}

void PlanCache::add(const ShardPlan& plan) {
    const std::lock_guard lock(m_mutex);
    std::erase_if(m_plans, [&](const ShardPlan& other) { return other.spec() == plan.spec(); });
    m_plans.push_front(plan);
    std::int64_t samples = 0;
    std::size_t kept = 0;
    while (kept < std::min(m_plans.size(), kMaxPlans)) {
        samples += m_plans[kept].spec().datasetSize;
        if (kept > 0 && samples > kMaxSamples) break;
        ++kept;
    }
    m_plans.erase(m_plans.begin() + static_cast<std::ptrdiff_t>(kept), m_plans.end());
}

Result<ShardPlan> PlanCache::findOrMake(const ShardSpec& spec, const std::atomic<bool>* stop) {
    if (std::optional<ShardPlan> known = find(spec)) return *known;
    Result<ShardPlan> made = ShardPlan::make(spec, stop);
    if (made) {
        made.value().prepareToFind(stop);
        add(made.value());
    }
    return made;
}

}  // namespace ringside
