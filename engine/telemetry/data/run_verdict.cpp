// SPDX-License-Identifier: Apache-2.0
#include "telemetry/data/run_verdict.h"

#include <fmt/format.h>

namespace ringside {

StepsVerdict verdictOf(const RunData& run, const TraceData& trace) {
    StepsVerdict verdict = trace.verdict();
    const StepPitfalls& requested = run.settings().stepPitfalls;
    if (verdict.finding != StepsFinding::kStraggler || verdict.rank != requested.slowRank) return verdict;
    verdict.advice = fmt::format(
        "This is the effect of pitfalls.slow_rank: it delays the rank by {:g} ms in every step; set it to -1 (off) to "
        "remove the delay.",
        requested.slowMs);
    return verdict;
}

}  // namespace ringside
