// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "telemetry/data/run_data.h"

namespace ringside {

enum class XAxis { Step, Epoch, Samples, Time };

// Returns the position of a point on the axis: optimizer steps, epochs, samples seen by all ranks, or seconds.
double xOf(const SeriesPoint& point, XAxis axis);

// A run, or the part of a run before another run was resumed from it, with the totals of the earlier runs.
struct RunPart {
    const RunData* run = nullptr;
    std::int64_t lastStep = 0;  // last step of the run that belongs to this part
    double samplesBefore = 0;
    double startSeconds = 0;  // position of the start of `run` on the common time axis, in seconds; the last run
                              // starts at 0, so earlier runs have negative positions
    bool operator==(const RunPart&) const = default;
};
using RunParts = std::vector<RunPart>;

// Returns the position of a point of this part on the axis of all parts.
double xOverAllParts(const RunPart& part, const SeriesPoint& point, XAxis axis);

// Return the number of samples trained and the seconds since the start of the run at the first point of `series` at or
// after `step`; at the last point if there is no such point; 0 if the series is empty.
double samplesAt(const Series& series, std::int64_t step);
double secondsAt(const Series& series, std::int64_t step);

// Returns the earlier runs, each up to the step at which the next was resumed, followed by the run itself.
RunParts partsOf(const std::vector<std::shared_ptr<const RunData>>& earlier, const RunData& run);
// Returns the position on the axis at which each part except the first begins.
std::vector<double> resumePositions(const RunParts& parts, XAxis axis);
// Returns a position on the axis for each restart of the ranks in these runs: that of the last recorded step up to the
// step from which the restarted ranks continue. Ranks of Ringside continue from the step of a checkpoint.
std::vector<double> restartPositions(const RunParts& parts, XAxis axis);

}  // namespace ringside
