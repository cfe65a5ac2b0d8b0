// SPDX-License-Identifier: Apache-2.0
#include "train/observe/trace_report.h"

namespace ringside {

void TraceReport::beginStep(StepPosition position) {
    m_tracer.begin(position.step, position.epoch, m_observer.startNs(), m_control.isWatched());
}

void TraceReport::endStep(const FinishedStep&) {
    if (!m_tracer.isTracing()) return;
    if (const StepTrace* trace = m_tracer.end()) m_observer.onTrace(*trace);
    if (!m_isRankZero) return;
    if (const std::optional<std::int64_t> steps = m_tracer.suggestedInterval())
        m_control.post({ControlKind::kTraceEvery, static_cast<double>(*steps)});
}

}  // namespace ringside
