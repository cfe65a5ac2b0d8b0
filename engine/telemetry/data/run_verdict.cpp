// SPDX-License-Identifier: Apache-2.0
#include "telemetry/data/run_verdict.h"

#include <fmt/format.h>

namespace ringside {

StepsVerdict verdictOf(const RunData& run, const TraceData& trace) {
    StepsVerdict verdict = trace.verdict();
    const StepPitfalls& requested = run.settings().stepPitfalls;
    if (verdict.finding != StepsFinding::kStraggler || verdict.rank != requested.slowRank) return verdict;
    verdict.advice = fmt::format(
        "The setting \"pitfalls.slow_rank\" causes this delay of {:g} ms per step. Set it to -1 to remove the delay.",
        requested.slowMs);
    return verdict;
}

}  // namespace ringside
