// SPDX-License-Identifier: Apache-2.0
#include "export/pytorch/pytorch_carried.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/json/json.h"
#include "config/config_fields.h"
#include "config/leaves.h"
#include "config/mesh.h"
#include "export/pytorch/pytorch_pieces.h"

namespace ringside {
namespace {

struct Rule {
    std::string_view path;
    std::string_view why;
    // condition under which the exported script ignores the setting; null: the script always ignores it
    bool (*applies)(const RunConfig&) = nullptr;
};

bool hasNoBuckets(const RunConfig& config) {
    const bool whole = config.parallel.strategy == StrategyKind::kDdp;
    return !whole &&
           !(config.parallel.strategy == StrategyKind::kFsdp && config.fsdp.shard == ShardedState::kOptimizer);
}

bool shardsOptimizerOnly(const RunConfig& config) {
    return config.parallel.strategy == StrategyKind::kFsdp && config.fsdp.shard == ShardedState::kOptimizer;
}

bool shardsStages(const RunConfig& config) {
    return config.parallel.strategy == StrategyKind::kPipeline && meshOf(config).shard > 1;
}

constexpr std::string_view kZeroUnits = "ZeroRedundancyOptimizer splits the parameters between the ranks by itself";
constexpr std::string_view kStageUnits = "each stage's parameters are gathered block by block";
constexpr std::string_view kThrottle = "the script runs as fast as this machine";
constexpr std::string_view kRestart = "torchrun restarts ranks, by its own options";
constexpr std::string_view kTrace = "the script records no trace";

// clang-format off
constexpr std::array kRules = {
    Rule{"parallel.backend", "the ranks communicate over NCCL on GPUs and over Gloo on CPUs"},
    Rule{"parallel.bucket_cap_mb", "this strategy has no buckets in PyTorch", hasNoBuckets},
    Rule{"parallel.threads_per_rank", "OMP_NUM_THREADS sets it; by default the ranks share the CPUs"},
    Rule{"parallel.first_bucket_mb", "PyTorch's first bucket always has 1 MiB"},
    Rule{"parallel.interface", "GLOO_SOCKET_IFNAME sets it"},
    Rule{"parallel.max_restarts", kRestart},
    Rule{"parallel.min_ranks", kRestart},
    Rule{"parallel.memory_limit_mb", "the script has no limit of memory"},
    Rule{"parallel.share_gpu", "each rank computes on the GPU of its local rank"},
    Rule{"parallel.pace.gflops", kThrottle},
    Rule{"parallel.pace.gbit_per_s", kThrottle},
    Rule{"parallel.pace.latency_us", kThrottle},
    Rule{"fsdp.shard", kStageUnits, shardsStages},
    Rule{"fsdp.unit", kZeroUnits, shardsOptimizerOnly},
    Rule{"fsdp.unit", kStageUnits, shardsStages},
    Rule{"fsdp.prefetch", kZeroUnits, shardsOptimizerOnly},
    Rule{"fsdp.prefetch", kStageUnits, shardsStages},
    Rule{"fsdp.cpu_offload", "ZeroRedundancyOptimizer keeps its state on the device", shardsOptimizerOnly},
    Rule{"training.recompute", "activations are kept, which takes more memory and gives the same numbers"},
    Rule{"training.winograd", "PyTorch chooses the algorithm of each convolution"},
    Rule{"training.checkpoint_seconds", "the script saves after epochs only, see CHECKPOINT_EVERY"},
    Rule{"training.keep_checkpoints", "the script keeps all checkpoints"},
    Rule{"training.reduction", "PyTorch's sums round differently for each number of ranks"},
    Rule{"training.leaves", "a batch is not split into leaves", isCanonical},
    Rule{"telemetry.trace", kTrace},
    Rule{"telemetry.megabytes_per_hour", kTrace},
    Rule{"telemetry.megabytes_total", kTrace},
};
// clang-format on

}  // namespace

std::vector<UnexportedSetting> unexportedSettings(const RunConfig& config) {
    const RunConfig defaults;
    std::vector<UnexportedSetting> settings;
    for (const ConfigField& field : configFields()) {
        const Json value = fieldValue(field, config);
        if (value == fieldValue(field, defaults)) continue;
        const auto rule = std::ranges::find_if(kRules, [&](const Rule& one) {
            return one.path == field.path && (one.applies == nullptr || one.applies(config));
        });
        if (rule != kRules.end())
            settings.push_back({std::string(field.path),
                                value.is_string() ? pythonText(value.get<std::string>()) : value.dump(),
                                std::string(rule->why)});
    }
    return settings;
}

std::string unexportedComment(const std::vector<UnexportedSetting>& settings) {
    if (settings.empty()) return {};
    std::string text = "# Settings of the experiment that this script does not carry over:\n";
    for (const UnexportedSetting& one : settings) text += "#   " + one.path + " " + one.value + ": " + one.why + "\n";
    return text;
}

std::string unexportedSentence(const std::vector<UnexportedSetting>& settings) {
    if (settings.empty()) return {};
    std::string text = "The script does not carry over ";
    for (std::size_t i = 0; i < settings.size(); ++i) text += (i == 0 ? "" : ", ") + settings[i].path;
    return text + "; its comments describe what it does instead.";
}

}  // namespace ringside
