// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "config/run_config.h"

namespace ringside {

// Learning rate of each epoch, in the recursive forms of torch/optim/lr_scheduler.py (1.13), bit-identical: LinearLR
// for the warm-up, chained with StepLR or CosineAnnealingLR.
class LearningRateSchedule {
  public:
    LearningRateSchedule(const ScheduleConfig& config, double baseRate, std::int64_t epochs);

    double learningRate() const { return m_rate; }  // returns the learning rate of the current epoch
    void nextEpoch();
    // Replaces the current rate. Later epochs continue from it, as PyTorch's schedulers do when a param_group's "lr" is
    // set.
    void setLearningRate(double rate) { m_rate = rate; }

  private:
    double warmedUp(double rate) const;
    double annealed(double rate) const;

    ScheduleConfig m_config;
    double m_base;
    double m_rate;
    std::int64_t m_epoch = 0;
};

}  // namespace ringside
