// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "parallel/strategy/strategy.h"
#include "train/batches/batch_loader.h"
#include "train/batches/data_share.h"
#include "train/control/run_control.h"
#include "train/interfaces/metric_sums.h"

namespace ringside {

// Evaluates the validation samples of one rank after each epoch.
class Validation {
  public:
    // References, also those in `loader`, must outlive this object.
    Validation(const TrainerDependencies& dependencies, const DataShare& share, const BatchLoaderDependencies& loader);

    // Sets the mean and standard deviation of each image channel, by which samples are normalized. Call before the
    // first evaluation.
    void setScale(const ChannelScale& scale) { m_loader.setScale(scale); }
    bool hasSamples() const { return m_plan.has_value(); }
    // Evaluates all validation samples of this rank and returns the sums. Returns an empty value if a stop command
    // arrived. Collective.
    std::optional<MetricSums> evaluate(Strategy& strategy, RunControl& control, StepPosition done);

  private:
    bool addBatches(Strategy& strategy, RunControl& control, StepPosition done, MetricSums& sums);
    Batch next();

    const TrainerDependencies& m_dependencies;
    int m_dataRank;
    std::optional<ShardPlan> m_plan;  // assignment of the validation samples to ranks; empty if there are none
    BatchLoader m_loader;
};

}  // namespace ringside
