// SPDX-License-Identifier: Apache-2.0
#include "train/throttle/device_throttle.h"

#include <cmath>

#include "plan/built_layers.h"
#include "train/interfaces/training_error.h"

namespace ringside {
namespace {

// Returns the number of floating-point operations per parameter in an update by this optimizer.
double updateFlops(const OptimizerConfig& optimizer) {
    switch (optimizer.kind) {
        case OptimizerKind::kSgd:
            return 2 + (optimizer.momentum > 0 ? 2 : 0) + (optimizer.weightDecay > 0 ? 2 : 0);
        case OptimizerKind::kAdam:
        case OptimizerKind::kAdamW:
            return 12;
    }
    return 0;
}

// Returns the cost of a forward pass, a backward pass or one of the two halves of a backward pass, as a multiple of the
// cost of a forward pass. backward: this multiple for a whole backward pass.
double timesForward(LayerWatch::Work work, double backward) {
    switch (work) {
        case LayerWatch::Work::kForward:
            return 1;
        case LayerWatch::Work::kBackward:
            return backward;
        case LayerWatch::Work::kInputs:
            return backward - 1;
        case LayerWatch::Work::kWeights:
            return 1;
    }
    return 1;
}

}  // namespace

DeviceThrottle::DeviceThrottle(const RunConfig& config, const ModelInterface& interface) {
    const double gflops = config.parallel.throttle.gflops;
    if (gflops <= 0) return;
    m_nsPerFlop = 1 / gflops;
    m_forwardFlops = static_cast<double>(valueOrThrow(describeModel(config.model, interface)).flops());
    m_backwardTimes = backwardPerForward(config.training.recompute);
    m_updateFlops = updateFlops(config.optimizer);
}

std::int64_t DeviceThrottle::passNs(const Model& model, LayerWatch::Work work, std::int64_t samples, std::size_t first,
                                    std::size_t last) const {
    double all = 0;
    double wanted = 0;
    for (std::size_t i = 0; i < model.layerCount(); ++i) {
        all += model.costOf(i);
        if (i >= first && i < last) wanted += model.costOf(i);
    }
    if (all <= 0) return 0;
    const double flops = m_forwardFlops * static_cast<double>(samples) * wanted / all;
    return std::llround(flops * timesForward(work, m_backwardTimes) * m_nsPerFlop);
}

std::int64_t DeviceThrottle::updateNs(std::int64_t parameters) const {
    return std::llround(static_cast<double>(parameters) * m_updateFlops * m_nsPerFlop);
}

}  // namespace ringside
