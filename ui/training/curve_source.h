// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "charts/curve.h"
#include "training/growing_curves.h"
#include "training/run_parts.h"

namespace ringside {

class Theme;

// Training: the mean over the global batch in a band from the lowest to the highest rank, or with fanOut a curve for
// each rank, in a band where one point stands for several steps. Validation: a marked point after each epoch. `held`
// keeps what was copied for the next redraw.
std::vector<Curve> lossCurves(GrowingCurves& held, const RunParts& parts, XAxis axis, bool fanOut, const Theme& theme);
std::vector<Curve> accuracyCurves(GrowingCurves& held, const RunParts& parts, XAxis axis, bool fanOut,
                                  const Theme& theme);
std::vector<Curve> throughputCurves(GrowingCurves& held, const RunParts& parts, XAxis axis, const Theme& theme);
std::vector<Curve> gradientNormCurves(GrowingCurves& held, const RunParts& parts, XAxis axis, const Theme& theme);
std::vector<Curve> learningRateCurves(GrowingCurves& held, const RunParts& parts, XAxis axis, const Theme& theme);

// The phases of the traced steps in milliseconds, one upon the other, as the mean over the ranks.
std::vector<Curve> phaseCurves(const RunParts& parts, XAxis axis, const Theme& theme);

// "step 72, epoch 6": where in the run an x is.
QString placeText(const RunParts& parts, XAxis axis, double x);

}  // namespace ringside
