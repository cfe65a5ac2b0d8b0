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
    double secondsBefore = 0;  // seconds from the start of the run to this part; negative if it started before the last
                               // part
    bool operator==(const RunPart&) const = default;
};
using RunParts = std::vector<RunPart>;

// Returns the position of a point of this part on the axis of all parts.
double xOverAllParts(const RunPart& part, const SeriesPoint& point, XAxis axis);

// Return the samples and seconds at a step of a curve.
double samplesAt(const Series& series, std::int64_t step);
double secondsAt(const Series& series, std::int64_t step);

// Returns the earlier runs, each up to the step at which the next was resumed, followed by the run itself.
RunParts partsOf(const std::vector<std::shared_ptr<const RunData>>& earlier, const RunData& run);
// Returns the start of each part except the first.
std::vector<double> seams(const RunParts& parts, XAxis axis);
// Returns the position of the last step before each restart of the ranks. Ranks of Ringside then continue from a
// checkpoint, and the position is that of the checkpoint.
std::vector<double> restarts(const RunParts& parts, XAxis axis);

}  // namespace ringside
