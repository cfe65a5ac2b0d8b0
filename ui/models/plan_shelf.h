// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <deque>
#include <mutex>
#include <optional>

#include "sampling/plan/shard_plan.h"

namespace ringside {

// Plans that were made, kept for whoever wants the same again. For any thread.
class PlanShelf {
  public:
    static constexpr std::int64_t kMostSamples = 12'000'000;  // of all plans together, 8 bytes each
    static constexpr std::size_t kMostPlans = 64;

    std::optional<ShardPlan> find(const ShardSpec& spec);
    void add(const ShardPlan& plan);
    // From the shelf, or made here, with its inverse order, and added. Soon after *stop is set it is a problem.
    Result<ShardPlan> findOrMake(const ShardSpec& spec, const std::atomic<bool>* stop = nullptr);

  private:
    std::mutex m_mutex;
    std::deque<ShardPlan> m_plans;  // newest first
};

}  // namespace ringside
