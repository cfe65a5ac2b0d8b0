// SPDX-License-Identifier: Apache-2.0
#include "config/optimizer_state.h"

#include <array>

namespace ringside {
namespace {

constexpr std::array<std::string_view, 1> kMomentum{"momentum_buffer"};
constexpr std::array<std::string_view, 2> kMeans{"exp_avg", "exp_avg_sq"};

}  // namespace

std::span<const std::string_view> stateTensors(const OptimizerConfig& optimizer) {
    switch (optimizer.kind) {
        case OptimizerKind::kSgd:
            if (optimizer.momentum == 0) return {};
            return kMomentum;
        case OptimizerKind::kAdam:
        case OptimizerKind::kAdamW:
            return kMeans;
    }
    return {};
}

bool haveSameState(OptimizerKind a, OptimizerKind b) {
    const auto family = [](OptimizerKind kind) {
        switch (kind) {
            case OptimizerKind::kSgd:
                return 0;
            case OptimizerKind::kAdam:
            case OptimizerKind::kAdamW:
                return 1;
        }
        return -1;
    };
    return family(a) == family(b);
}

std::string_view torchClass(OptimizerKind kind) {
    switch (kind) {
        case OptimizerKind::kSgd:
            return "SGD";
        case OptimizerKind::kAdam:
            return "Adam";
        case OptimizerKind::kAdamW:
            return "AdamW";
    }
    return {};
}

}  // namespace ringside
