// SPDX-License-Identifier: Apache-2.0
#include "telemetry/data/run_verdict.h"

#include <array>
#include <cstdio>

namespace ringside {

StepsVerdict verdictOf(const RunData& run, const TraceData& trace) {
    StepsVerdict verdict = trace.verdict();
    const StepPitfalls& asked = run.stepPitfalls();
    if (verdict.finding != StepsFinding::kStraggler || verdict.rank != asked.slowRank) return verdict;
    std::array<char, 32> delay{};
    std::snprintf(delay.data(), delay.size(), "%g", asked.slowMs);
    verdict.advice = "This is the effect of pitfalls.slow_rank: it delays the rank by " + std::string(delay.data()) +
                     " ms in every step; set it to -1 (off) to remove the delay.";
    return verdict;
}

}  // namespace ringside
