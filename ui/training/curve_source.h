// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "charts/curve.h"
#include "telemetry/data/run_data.h"

namespace ringside {

class Theme;

enum class XAxis { Step, Epoch, Samples, Time };

// The place of a point on the chosen axis: optimizer steps, epochs done, samples seen by all ranks, seconds.
double xOf(const SeriesPoint& point, XAxis axis);

// A run, or the part of one that another goes on from, with what was before it.
struct RunPart {
    const RunData* run = nullptr;
    std::int64_t lastStep = 0;  // that counts
    double samplesBefore = 0;
    double secondsBefore = 0;  // negative: it began before the last part did
};
using RunParts = std::vector<RunPart>;

// The earlier runs as far as the next of them went on from them, and the run itself.
RunParts partsOf(const std::vector<std::shared_ptr<const RunData>>& earlier, const RunData& run);
// Where each part but the first begins.
std::vector<double> seams(const RunParts& parts, XAxis axis);

// Training: the mean over the global batch in a band from the lowest to the highest rank, or with fanOut a curve for
// each rank, in a band where one point stands for several steps. Validation: a marked point after each epoch.
std::vector<Curve> lossCurves(const RunParts& parts, XAxis axis, bool fanOut, const Theme& theme);
std::vector<Curve> accuracyCurves(const RunParts& parts, XAxis axis, bool fanOut, const Theme& theme);
std::vector<Curve> throughputCurves(const RunParts& parts, XAxis axis, const Theme& theme);
std::vector<Curve> gradientNormCurves(const RunParts& parts, XAxis axis, const Theme& theme);
std::vector<Curve> learningRateCurves(const RunParts& parts, XAxis axis, const Theme& theme);

// "step 72, epoch 6": where in the run an x is.
QString placeText(const RunParts& parts, XAxis axis, double x);

}  // namespace ringside
