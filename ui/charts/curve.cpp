// SPDX-License-Identifier: GPL-3.0-or-later
#include "charts/curve.h"

#include <algorithm>

namespace ringside {

AxisRange wholeRange(const std::vector<Curve>& curves) {
    AxisRange range;
    for (const Curve& curve : curves) {
        if (!curve.points.empty()) {
            range.include(curve.points.front().x);
            range.include(curve.points.back().x);
        }
    }
    return range;
}

const CurvePoint* pointAt(const Curve& curve, double x) {
    const auto after = std::upper_bound(curve.points.begin(), curve.points.end(), x,
                                        [](double value, const CurvePoint& point) { return value < point.x; });
    return after == curve.points.begin() ? nullptr : &*(after - 1);
}

}  // namespace ringside
