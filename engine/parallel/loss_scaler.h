// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace ringside {

// torch.cuda.amp.GradScaler with its defaults: the loss is multiplied by scale() so that small gradients survive
// float16, and gradients are divided by it before the update. A step with an infinite gradient is left out and the
// scale halved; after 2000 good steps in a row it doubles.
class LossScaler {
  public:
    explicit LossScaler(bool on) : m_on(on) {}

    bool on() const { return m_on; }
    double scale() const { return m_on ? m_scale : 1; }
    void update(bool foundInfinite);  // after each step

    // For checkpoints.
    std::int64_t goodSteps() const { return m_goodSteps; }        // since the scale last changed
    std::int64_t skippedSteps() const { return m_skippedSteps; }  // in all
    void restore(double scale, std::int64_t goodSteps, std::int64_t skippedSteps);

  private:
    bool m_on;
    double m_scale = 65536;
    std::int64_t m_goodSteps = 0;
    std::int64_t m_skippedSteps = 0;
};

}  // namespace ringside
