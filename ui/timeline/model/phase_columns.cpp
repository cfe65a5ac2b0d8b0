// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/model/phase_columns.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "theme/phase_colors.h"
#include "theme/theme.h"

namespace ringside {

void PhaseColumns::add(int column, Phase phase, double ns) {
    if (column < 0 || column >= width()) return;
    m_columns[static_cast<std::size_t>(column)][static_cast<std::size_t>(phase)] += static_cast<float>(ns);
}

void PhaseColumns::spread(double from, double to, Phase phase, double ns) {
    const int first = std::max(0, static_cast<int>(std::floor(from)));
    const int last = std::min(width() - 1, static_cast<int>(std::floor(to)));
    if (to - from < 1e-9) return add(first, phase, ns);
    for (int column = first; column <= last; ++column) {
        const double covered = std::min(to, column + 1.0) - std::max(from, static_cast<double>(column));
        if (covered > 0) add(column, phase, ns * covered / (to - from));
    }
}

double PhaseColumns::total(int column) const {
    const auto& sums = m_columns[static_cast<std::size_t>(column)];
    return std::accumulate(sums.begin(), sums.end(), 0.0);
}

QImage PhaseColumns::draw(int height, double fullNs, const Theme& theme) const {
    QImage image(width(), std::max(height, 1), QImage::Format_ARGB32_Premultiplied);
    image.fill(Qt::transparent);
    std::array<QRgb, kPhaseCount> colors{};
    for (const Phase phase : kStackedPhases)
        colors[static_cast<std::size_t>(phase)] =
            phase == Phase::kIdle ? 0 : qPremultiply(phaseColor(phase, theme).rgba());
    const QRgb hatch = qPremultiply(hatchColor(theme).rgba());
    const auto stride = image.bytesPerLine() / static_cast<qsizetype>(sizeof(QRgb));
    auto* const pixels = reinterpret_cast<QRgb*>(image.bits());
    for (int x = 0; x < width(); ++x) {
        const double full = fullNs > 0 ? fullNs : total(x);
        if (full <= 0) continue;
        double sum = 0;
        int from = 0;
        for (const Phase phase : kStackedPhases) {
            sum += m_columns[static_cast<std::size_t>(x)][static_cast<std::size_t>(phase)];
            const int to = std::min(height, static_cast<int>(std::lround(height * sum / full)));
            for (int y = from; y < to; ++y) {
                const int line = height - 1 - y;
                pixels[line * stride + x] =
                    phase == Phase::kWaiting && isHatched(x, line) ? hatch : colors[static_cast<std::size_t>(phase)];
            }
            from = std::max(from, to);
        }
    }
    return image;
}

}  // namespace ringside
