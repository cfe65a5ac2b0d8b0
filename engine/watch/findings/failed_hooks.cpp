// SPDX-License-Identifier: Apache-2.0
#include "watch/findings/failed_hooks.h"

#include <algorithm>
#include <array>
#include <sstream>
#include <string>
#include <string_view>

#include "watch/evidence/fact_reader.h"

namespace ringside {
namespace {

constexpr std::string_view kEvery = "*";  // in a list of the codes of checks: all checks

// Checks that depend on one hook of python/ringside_watch. A hook is code that observes calls of PyTorch. Lists of
// codes are separated by spaces.
struct HookUse {
    std::string_view hook;     // name of the hook
    std::string_view readers;  // checks that read the observations of the hook
    // Checks whose findings conclude something from missing observations of the hook, for example that no collective
    // was called.
    std::string_view concluders;
};

// clang-format off
constexpr std::array kUses{
    HookUse{"tensorboard", "", ""},
    HookUse{"lightning log", "", ""},
    HookUse{"norms of weights and gradients", "", ""},
    HookUse{"script lines that create models and loaders", "", ""},
    HookUse{"changes of models wrapped in DDP", "", ""},
    HookUse{"clipping", "clipped-before-unscaling", ""},
    HookUse{"grad scaler", "clipped-before-unscaling steps-skipped loss-not-finite accumulation-undivided",
            "clipped-before-unscaling accumulation-undivided"},
    HookUse{"gathered features", "gathered-without-gradient", ""},
    HookUse{"gradients", "gradients-never-cleared", ""},
    HookUse{"unused gradients", "cleared-before-step accumulation-undivided sync-every-micro-batch effective-batch",
            "accumulation-undivided sync-every-micro-batch effective-batch"},
    HookUse{"unoptimized parameters", "parameters-not-optimized", ""},
    HookUse{"scheduler", "scheduler-too-often", "scheduler-too-often"},
    HookUse{"collectives", kEvery, "model-not-wrapped different-start metrics-not-combined"},
    HookUse{"process group", kEvery, "no-process-group"},
    HookUse{"data parallel", kEvery, "model-not-wrapped different-start parameters-outside-ddp forward-around-ddp"},
    HookUse{"fully_shard", kEvery, "model-not-wrapped different-start"},
    HookUse{"fully_shard call", kEvery, "model-not-wrapped different-start"},
    HookUse{"loader", kEvery, "samples-never-seen uneven-steps metrics-not-combined"},
    HookUse{"settings of data loaders", kEvery, "every-rank-reads-everything metrics-not-combined"},
    HookUse{"optimizer", kEvery, "gradients-left-over parameters-not-optimized accumulation-undivided"},
    HookUse{"backward", kEvery, "samples-never-seen uneven-steps trained-on-validation metrics-not-combined"},
    HookUse{"the report", kEvery, kEvery},
    HookUse{"writing the last events of the report", kEvery, kEvery},
};
// clang-format on

bool listsCode(std::string_view codes, std::string_view code) {
    if (codes == kEvery) return true;
    std::istringstream list{std::string(codes)};
    for (std::string one; list >> one;)
        if (one == code) return true;
    return false;
}

// Returns the checks that depend on a hook, from the table. For a hook that is not in the table, returns all checks as
// its readers.
HookUse useOf(std::string_view hook) {
    const auto* const found = std::ranges::find(kUses, hook, &HookUse::hook);
    return found == kUses.end() ? HookUse{hook, kEvery, ""} : *found;
}

}  // namespace

Judgement withFailedHooks(const Evidence& evidence, const Check& check, Judgement judgement) {
    if (judgement.result == CheckResult::kCouldNotJudge) return judgement;
    for (const auto& [number, rank] : evidence.ranks()) {
        for (const Json& facts : rank.factsOf("hook_failed")) {
            const std::string hook = textOf(facts, "hook");
            const HookUse use = useOf(hook);
            const bool isFound = judgement.result == CheckResult::kFound;
            if (!listsCode(isFound ? use.concluders : use.readers, check.code)) continue;
            return couldNotJudge("a hook that observes the script has failed on rank " + std::to_string(number) + " (" +
                                 hook + ")");
        }
    }
    return judgement;
}

}  // namespace ringside
