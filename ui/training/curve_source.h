// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "charts/curve.h"
#include "training/growing_curves.h"
#include "training/run_parts.h"

namespace ringside {

class Theme;

// Returns the training curve and the validation curve. The training curve is the mean loss of the global batch, with a
// band from the lowest to the highest loss of a rank. With fanOut, there is one training curve per rank, with a band if
// a point contains several steps. The validation curve has a marked point after each epoch. `held` caches points for
// the next redraw.
std::vector<Curve> lossCurves(GrowingCurves& held, const RunParts& parts, XAxis axis, bool fanOut, const Theme& theme);
std::vector<Curve> accuracyCurves(GrowingCurves& held, const RunParts& parts, XAxis axis, bool fanOut,
                                  const Theme& theme);
std::vector<Curve> throughputCurves(GrowingCurves& held, const RunParts& parts, XAxis axis, const Theme& theme);
std::vector<Curve> gradientNormCurves(GrowingCurves& held, const RunParts& parts, XAxis axis, const Theme& theme);
std::vector<Curve> learningRateCurves(GrowingCurves& held, const RunParts& parts, XAxis axis, const Theme& theme);

// Returns the time of each phase of the traced steps in milliseconds, averaged over the ranks, as stacked curves.
std::vector<Curve> phaseCurves(const RunParts& parts, XAxis axis, const Theme& theme);

// Returns a text for the position `x` on the x axis, such as "step 72, epoch 6": the last step that is not beyond `x`,
// and its epoch. The text also contains the seconds or samples if the axis shows them.
QString axisPositionText(const RunParts& parts, XAxis axis, double x);

}  // namespace ringside
