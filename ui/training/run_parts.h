// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "telemetry/data/run_data.h"

namespace ringside {

enum class XAxis { Step, Epoch, Samples, Time };

// Returns the position of a point on the x axis, in the unit of the axis: optimizer steps, epochs, samples of all
// ranks, or seconds.
double xOf(const SeriesPoint& point, XAxis axis);

// The last run of a chain of resumed runs, or the part of an earlier run up to the step at which the next run was
// resumed.
struct RunPart {
    const RunData* run = nullptr;
    std::int64_t lastStep = 0;  // last step of `run` that belongs to this part
    double samplesBefore = 0;
    // start of `run` on the common time axis, in seconds; 0 for the last run, negative for earlier runs
    double startSeconds = 0;
    bool operator==(const RunPart&) const = default;
};
using RunParts = std::vector<RunPart>;

// Returns the position of a point of `part` on the common x axis of all parts.
double xOverAllParts(const RunPart& part, const SeriesPoint& point, XAxis axis);

// The two functions below return the number of trained samples, and the seconds since the start of the run, at the
// first point of `series` whose step is not before `step`; at the last point if there is no such point; 0 if the series
// is empty.
double samplesAt(const Series& series, std::int64_t step);
double secondsAt(const Series& series, std::int64_t step);

// Returns a part for each earlier run, up to the step at which the next run was resumed, and then a part for `run`.
RunParts partsOf(const std::vector<std::shared_ptr<const RunData>>& earlier, const RunData& run);
// Returns the positions on the x axis at which the parts begin, except the first part.
std::vector<double> resumePositions(const RunParts& parts, XAxis axis);
// Returns a position on the x axis for each restart of the ranks in these runs: the last recorded step that is not
// after the step from which the restarted ranks continue. In a run of Ringside, this is the step of a checkpoint.
std::vector<double> restartPositions(const RunParts& parts, XAxis axis);

}  // namespace ringside
