// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "charts/curve.h"
#include "telemetry/run_data.h"

namespace ringside {

class Theme;

enum class XAxis { Step, Epoch, Samples, Time };

// The place of a point on the chosen axis: optimizer steps, epochs done, samples seen by all ranks, seconds.
double xOf(const SeriesPoint& point, XAxis axis);

// Training: the mean over the global batch in a band from the lowest to the highest rank, or with fanOut a curve for
// each rank. Validation: a marked point after each epoch.
std::vector<Curve> lossCurves(const RunData& run, XAxis axis, bool fanOut, const Theme& theme);
std::vector<Curve> accuracyCurves(const RunData& run, XAxis axis, bool fanOut, const Theme& theme);
std::vector<Curve> throughputCurves(const RunData& run, XAxis axis, const Theme& theme);
std::vector<Curve> gradientNormCurves(const RunData& run, XAxis axis, const Theme& theme);

// "step 72, epoch 6": where in the run an x is.
QString placeText(const RunData& run, XAxis axis, double x);

}  // namespace ringside
