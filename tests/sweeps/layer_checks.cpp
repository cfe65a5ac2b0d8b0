// SPDX-License-Identifier: Apache-2.0
#include "sweeps/layer_checks.h"

#include "base/errors/errors.h"
#include "sweeps/layer_run.h"

namespace ringside {

namespace {

std::optional<std::string> check(LayerRun& run, const SweepCase& which) {
    switch (which.layer) {
        case SweptLayer::kConvolution:
            return checkConvolution(run, which);
        case SweptLayer::kLinear:
            return checkLinear(run, which);
        case SweptLayer::kBatchNorm:
            return checkBatchNorm(run, which);
        case SweptLayer::kMaxPool:
            return checkMaxPool(run, which);
        case SweptLayer::kAveragePool:
            return checkAveragePool(run, which);
        case SweptLayer::kGelu:
            return checkGelu(run, which);
        case SweptLayer::kLayerNorm:
            return checkLayerNorm(run, which);
        case SweptLayer::kAttention:
            return checkAttention(run, which);
        case SweptLayer::kEmbedding:
            return checkEmbedding(run, which);
    }
    return std::nullopt;
}

}  // namespace

std::optional<std::string> findFault(const SweepCase& which, int threads) {
    GuardedMemory memory;
    const auto backend = makeCpuBackend(threads, true, memory);
    LayerRun run(*backend);
    const std::optional<std::string> fault = check(run, which);
    return memory.damage() ? memory.damage() : fault;
}

}  // namespace ringside
