// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <deque>
#include <mutex>
#include <optional>

#include "sampling/plan/shard_plan.h"

namespace ringside {

// Cache of computed shard plans. Thread-safe.
class PlanCache {
  public:
    static constexpr std::int64_t kMaxSamples = 12'000'000;  // largest number of samples of all plans together; each
                                                             // sample takes 8 bytes
    static constexpr std::size_t kMaxPlans = 64;

    std::optional<ShardPlan> find(const ShardSpec& spec);
    void add(const ShardPlan& plan);
    // Returns the plan from the cache, or computes it with its inverse order on the calling thread and caches it.
    // Returns a problem soon after *stop is set.
    Result<ShardPlan> findOrMake(const ShardSpec& spec, const std::atomic<bool>* stop = nullptr);

  private:
    std::mutex m_mutex;
    std::deque<ShardPlan> m_plans;  // stored plans, newest first
};

}  // namespace ringside
