// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <vector>

namespace ringside {

enum class NumberStyle { Plain, Percent, Seconds, Whole };

struct AxisTick {
    double value = 0;
    QString label;
};

// Returns round values (1, 2, 2.5 or 5 times a power of ten) inside [minimum, maximum], about `wanted` of them, all
// labelled with the same number of decimals; thousands as k, millions as M.
std::vector<AxisTick> axisTicks(double minimum, double maximum, int wanted, NumberStyle style = NumberStyle::Plain);

// Returns the ticks of an axis of log10 values: decades, and 2 and 5 between them if there are few decades.
std::vector<AxisTick> logAxisTicks(double minimum, double maximum, int wanted);

// Returns the smallest round step (1, 2, 2.5 or 5 times a power of ten) that divides the width into at most `wanted`
// parts.
double roundStep(double width, int wanted);

QString numberLabel(double value, double step, NumberStyle style);

}  // namespace ringside
