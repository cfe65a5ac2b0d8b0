// SPDX-License-Identifier: Apache-2.0
#include "parallel/loss_scaler.h"

namespace ringside {
namespace {

constexpr double kGrowth = 2;
constexpr double kBackoff = 0.5;
constexpr std::int64_t kGrowthInterval = 2000;

}  // namespace

void LossScaler::update(bool foundInfinite) {
    if (foundInfinite) {
        m_scale *= kBackoff;
        m_goodSteps = 0;
        ++m_skippedSteps;
    } else if (++m_goodSteps >= kGrowthInterval) {
        m_scale *= kGrowth;
        m_goodSteps = 0;
    }
}

void LossScaler::restore(double scale, std::int64_t goodSteps, std::int64_t skippedSteps) {
    m_scale = scale;
    m_goodSteps = goodSteps;
    m_skippedSteps = skippedSteps;
}

}  // namespace ringside
