// SPDX-License-Identifier: GPL-3.0-or-later
#include "charts/axis_ticks.h"

#include <QLocale>
#include <algorithm>
#include <cmath>

namespace ringside {
namespace {

int decimalsFor(double step) {
    for (int decimals = 0; decimals < 9; ++decimals) {
        const double scaled = step * std::pow(10, decimals);
        if (std::abs(scaled - std::round(scaled)) < 1e-6 * scaled) {
            return decimals;
        }
    }
    return 9;
}

QString secondsLabel(double value, double step) {
    if (step >= 30 && value >= 60) {
        const auto total = static_cast<qint64>(std::llround(value));
        return QStringLiteral("%1:%2").arg(total / 60).arg(total % 60, 2, 10, QLatin1Char('0'));
    }
    return QLocale::c().toString(value, 'f', decimalsFor(step)) + QStringLiteral(" s");
}

// Returns a round distance in seconds between the ticks of a time axis: a round number of up to 20 s, 30 s, a round
// number of minutes (1, 2, 5, 10, 15, 30), or a round number of hours.
double roundTimeStep(double width, int wanted) {
    for (const double step : {30.0, 60.0, 120.0, 300.0, 600.0, 900.0, 1800.0}) {
        const double rough = width / std::max(1, wanted);
        if (rough > 20 && rough <= step) {
            return step;
        }
    }
    return width / std::max(1, wanted) > 1800 ? 3600 * roundStep(width / 3600, wanted) : roundStep(width, wanted);
}

double stepFor(double width, int wanted, NumberStyle style) {
    if (style == NumberStyle::Seconds) return roundTimeStep(width, wanted);
    const double step = roundStep(width, wanted);
    return style == NumberStyle::Whole
               ? std::max(1.0, std::floor(step))
               : step;  // an axis of whole numbers has whole distances between its ticks, such as 2 instead of 2.5
}

}  // namespace

double roundStep(double width, int wanted) {
    const double rough = width / std::max(1, wanted);
    if (!(rough > 0) || !std::isfinite(rough)) {
        return 1;
    }
    const double power = std::pow(10, std::floor(std::log10(rough)));
    for (const double factor : {1.0, 2.0, 2.5, 5.0}) {
        if (factor * power >= rough * (1 - 1e-9)) {
            return factor * power;
        }
    }
    return 10 * power;
}

QString numberLabel(double value, double step, NumberStyle style) {
    const QLocale c(QLocale::c());
    if (style == NumberStyle::Percent) {
        return c.toString(value * 100, 'f', decimalsFor(step * 100)) + QStringLiteral(" %");
    }
    if (style == NumberStyle::Seconds) {
        return secondsLabel(value, step);
    }
    if (step >= 500 && value == 0) {
        return QStringLiteral("0");
    }
    if (step >= 1e9) {
        return c.toString(value, 'g', 3);
    }
    if (step >= 2e5) {
        return c.toString(value / 1e6, 'f', decimalsFor(step / 1e6)) + QLatin1Char('M');
    }
    if (step >= 500) {
        return c.toString(value / 1e3, 'f', decimalsFor(step / 1e3)) + QLatin1Char('k');
    }
    if (step < 1e-4) {
        return c.toString(value, 'g', 3);
    }
    return c.toString(value, 'f', decimalsFor(step));
}

std::vector<AxisTick> axisTicks(double minimum, double maximum, int wanted, NumberStyle style) {
    std::vector<AxisTick> ticks;
    const double step = stepFor(maximum - minimum, wanted, style);
    const double slack = step * 1e-6;
    for (double k = std::ceil((minimum - slack) / step); k * step <= maximum + slack && ticks.size() < 100; ++k) {
        const double value = k == 0 ? 0 : k * step;
        ticks.push_back({value, numberLabel(value, step, style)});
    }
    return ticks;
}

std::vector<AxisTick> logAxisTicks(double minimum, double maximum, int wanted) {
    std::vector<AxisTick> ticks;
    const double decades = maximum - minimum;
    const int every = std::max(1, static_cast<int>(std::ceil(decades / std::max(1, wanted))));
    const bool between = decades < 3;
    for (double decade = std::floor(minimum); decade <= maximum && ticks.size() < 100; decade += every) {
        for (const double factor : {1.0, 2.0, 5.0}) {
            const double value = decade + std::log10(factor);
            if ((factor == 1 || between) && value >= minimum - 1e-9 && value <= maximum + 1e-9) {
                ticks.push_back({value, QLocale::c().toString(factor * std::pow(10, decade), 'g', 3)});
            }
        }
    }
    return ticks;
}

}  // namespace ringside
