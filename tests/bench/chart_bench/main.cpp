// SPDX-License-Identifier: GPL-3.0-or-later
// Measures the redraw of one chart with the largest number of points: 65,536 points with band, raw and smoothed line.
// Usage: QT_QPA_PLATFORM=offscreen chart_bench
#include <QApplication>
#include <QPixmap>
#include <cmath>

#include "../frame_times.h"
#include "charts/live_chart.h"
#include "theme/theme.h"

using namespace ringside;

namespace {

Curve longCurve(int points, int phase) {
    Curve curve{QStringLiteral("train"), QStringLiteral("train"), Qt::blue, Curve::Kind::BandLine, {}};
    curve.points.reserve(static_cast<std::size_t>(points));
    for (int at = 0; at < points; ++at) {
        const double y = 2 * std::exp(-3.0 * at / points) + 0.1 * std::sin((at + phase) * 1.7);
        curve.points.push_back({at * 1.0, y, y - 0.1, y + 0.1});
    }
    return curve;
}

}  // namespace

int main(int argc, char** argv) {
    QApplication application(argc, argv);
    Theme theme;
    LiveChart chart(theme);
    chart.resize(640, 400);
    chart.setSmoothing(0.6);
    QPixmap target(640, 400);
    for (const int points : {1000, 10'000, 65'536}) {
        FrameTimes feed, paint;
        for (int frame = 0; frame < 60; ++frame) {
            Curve curve = longCurve(points, frame);
            feed.measure([&] { chart.setCurves({std::move(curve)}); });
            paint.measure([&] { chart.QWidget::render(&target); });
        }
        std::printf("%d points\n", points);
        feed.print("  smooth, decimate, replace");
        paint.print("  paint");
    }
    return 0;
}
