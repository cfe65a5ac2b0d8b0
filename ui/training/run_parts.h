// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "telemetry/data/run_data.h"

namespace ringside {

enum class XAxis { Step, Epoch, Samples, Time };

// The place of a point on the chosen axis: optimizer steps, epochs done, samples seen by all ranks, seconds.
double xOf(const SeriesPoint& point, XAxis axis);

// A run, or the part of one that another goes on from, with what was before it.
struct RunPart {
    const RunData* run = nullptr;
    std::int64_t lastStep = 0;  // that counts
    double samplesBefore = 0;
    double secondsBefore = 0;  // negative: it began before the last part did
    bool operator==(const RunPart&) const = default;
};
using RunParts = std::vector<RunPart>;

// The place of a point of this part among all parts.
double xIn(const RunPart& part, const SeriesPoint& point, XAxis axis);

// Samples seen, and seconds passed, at a step of a curve.
double samplesAt(const Series& series, std::int64_t step);
double secondsAt(const Series& series, std::int64_t step);

// The earlier runs as far as the next of them went on from them, and the run itself.
RunParts partsOf(const std::vector<std::shared_ptr<const RunData>>& earlier, const RunData& run);
// Where each part but the first begins.
std::vector<double> seams(const RunParts& parts, XAxis axis);

}  // namespace ringside
