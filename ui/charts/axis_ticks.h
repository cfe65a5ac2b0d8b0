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

// Returns about `wanted` ticks in [minimum, maximum], whose distance is 1, 2, 2.5 or 5 times a power of ten. All labels
// have the same number of decimals; thousands are written with k, millions with M.
std::vector<AxisTick> axisTicks(double minimum, double maximum, int wanted, NumberStyle style = NumberStyle::Plain);

// Returns the ticks of a logarithmic axis between two log10 values: the powers of ten and, if these are few, also 2 and
// 5 times the powers of ten.
std::vector<AxisTick> logAxisTicks(double minimum, double maximum, int wanted);

// Returns the smallest distance of the form 1, 2, 2.5 or 5 times a power of ten that divides `width` into at most
// `wanted` parts.
double roundStep(double width, int wanted);

QString numberLabel(double value, double step, NumberStyle style);

}  // namespace ringside
