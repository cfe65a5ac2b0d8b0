// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "charts/curve.h"
#include "training/growing_curves.h"
#include "training/run_parts.h"

namespace ringside {

class Theme;

// Training curve: the mean over the global batch in a band from the lowest to the highest rank. With fanOut: one curve
// per rank, with a band if a point contains several steps. Validation curve: a marked point after each epoch. `held`
// keeps copied points for the next redraw.
std::vector<Curve> lossCurves(GrowingCurves& held, const RunParts& parts, XAxis axis, bool fanOut, const Theme& theme);
std::vector<Curve> accuracyCurves(GrowingCurves& held, const RunParts& parts, XAxis axis, bool fanOut,
                                  const Theme& theme);
std::vector<Curve> throughputCurves(GrowingCurves& held, const RunParts& parts, XAxis axis, const Theme& theme);
std::vector<Curve> gradientNormCurves(GrowingCurves& held, const RunParts& parts, XAxis axis, const Theme& theme);
std::vector<Curve> learningRateCurves(GrowingCurves& held, const RunParts& parts, XAxis axis, const Theme& theme);

// Stacked phases of the traced steps in milliseconds, averaged over the ranks.
std::vector<Curve> phaseCurves(const RunParts& parts, XAxis axis, const Theme& theme);

// Returns the text for the position `x` on the x axis `axis`: the last step up to x, such as "step 72, epoch 6", and
// the seconds or samples if the axis shows them.
QString axisPositionText(const RunParts& parts, XAxis axis, double x);

}  // namespace ringside
