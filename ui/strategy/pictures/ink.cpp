// SPDX-License-Identifier: GPL-3.0-or-later
#include "strategy/pictures/ink.h"

#include <cmath>

namespace ringside {
namespace {

constexpr double kPale = 0.45;

double luminance(const QColor& color) {
    const auto linear = [](double part) {
        return part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) + 0.0722 * linear(color.blueF());
}

}  // namespace

QColor mixedInk(const QColor& one, const QColor& other, double part) {
    const auto mix = [part](float a, float b) { return static_cast<float>(a + (b - a) * part); };
    return QColor::fromRgbF(mix(one.redF(), other.redF()), mix(one.greenF(), other.greenF()),
                            mix(one.blueF(), other.blueF()));
}

// Compares the contrast of black and white with the background, by relative luminance (WCAG), and returns the better
// one.
QColor textColorOn(const QColor& ground) {
    const double light = luminance(ground);
    const double onDark = 1.05 / (light + 0.05);
    const double onLight = (light + 0.05) / 0.05;
    return onDark >= onLight ? QColor(Qt::white) : QColor(Qt::black);
}

QColor paler(const QColor& color, const ThemeColors& theme) {
    return mixedInk(color, theme.panel, kPale);
}

QBrush idleBrush(const ThemeColors& theme) {
    return {mixedInk(theme.panel, theme.muted, 0.35), Qt::BDiagPattern};
}

}  // namespace ringside
