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
    verdict.advice = "pitfalls.slow_rank asks for this: it delays the rank by " + std::string(delay.data()) +
                     " ms in every step, and -1 takes that back.";
    return verdict;
}

}  // namespace ringside
