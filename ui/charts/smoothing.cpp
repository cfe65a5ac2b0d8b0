// SPDX-License-Identifier: GPL-3.0-or-later
#include "charts/smoothing.h"

#include <cmath>

namespace ringside {

std::vector<double> smoothed(std::span<const double> values, double weight) {
    std::vector<double> result(values.begin(), values.end());
    if (weight <= 0) {
        return result;
    }
    double average = 0;
    double weightLeft = 1;  // w^t
    for (double& value : result) {
        if (!std::isfinite(value)) {
            continue;
        }
        average = weight * average + (1 - weight) * value;
        weightLeft *= weight;
        value = average / (1 - weightLeft);
    }
    return result;
}

}  // namespace ringside
