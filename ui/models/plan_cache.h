// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <deque>
#include <mutex>
#include <optional>

#include "sampling/plan/shard_plan.h"

namespace ringside {

// Cache of shard plans, which are expensive to compute. Thread-safe.
class PlanCache {
  public:
    // maximum number of samples of all cached plans together; each sample takes 8 bytes
    static constexpr std::int64_t kMaxSamples = 12'000'000;
    static constexpr std::size_t kMaxPlans = 64;

    std::optional<ShardPlan> find(const ShardSpec& spec);
    void add(const ShardPlan& plan);
    // Returns the plan for `spec` from the cache. If the cache does not have it, computes the plan and its inverse
    // order (the positions of each sample) on the calling thread and adds it to the cache. Returns a problem soon after
    // *stop becomes true.
    Result<ShardPlan> findOrMake(const ShardSpec& spec, const std::atomic<bool>* stop = nullptr);

  private:
    std::mutex m_mutex;
    std::deque<ShardPlan> m_plans;  // stored plans, newest first
};

}  // namespace ringside
