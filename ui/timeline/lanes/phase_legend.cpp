// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/lanes/phase_legend.h"

#include <QPainter>
#include <algorithm>

#include "theme/phase_colors.h"
#include "theme/theme.h"
#include "theme/type_length.h"
#include "words/phase_text.h"

namespace ringside {
namespace {

constexpr int kSwatch = 11;
constexpr TypePixels kHeight{22};
constexpr int kApart = Theme::kSpace3;  // normal distance between the entries of two phases, in pixels
constexpr int kMinApart = Theme::kSpace1;
constexpr int kFrame = 4;  // width of the frame around a highlighted phase, in pixels

}  // namespace

PhaseLegend::PhaseLegend(const TimelineModel& model, const Theme& theme, QWidget* parent)
    : QWidget(parent), m_model(model), m_theme(theme) {
    setObjectName(QStringLiteral("phaseLegendArea"));
    setAccessibleName(tr("Colours of the phases"));
    setToolTip(
        tr("Waiting: time in a collective until the last rank arrives. Moving: transfer of the bytes after that. A "
           "triangle below a lane marks when a bucket is ready; the line next to it shows its transfer."));
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    for (const auto signal : {&TimelineModel::dataChanged, &TimelineModel::viewChanged, &TimelineModel::choiceChanged})
        connect(&model, signal, this, [this] {
            if (const int width = widthOfAll(kApart); width != m_wholeWidth) {
                m_wholeWidth = width;  // the entry of the phase "paused" was added or removed
                setMinimumHeight(placedIn(this->width()).back().second.bottom() + 1);
                updateGeometry();
            }
            update();
        });
    connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

std::vector<Phase> PhaseLegend::phases() const {
    std::vector<Phase> phases{Phase::kDataWait, Phase::kForward, Phase::kBackward,
                              Phase::kWaiting,  Phase::kMoving,  Phase::kOptimizer};
    const TracedStep* step = m_model.shownStep();
    const bool paused = step != nullptr && std::ranges::any_of(step->ranks, [](const RankTrace& rank) {
                            return timeOf(rank.times, Phase::kPaused) > 0;
                        });
    if (paused) phases.push_back(Phase::kPaused);
    return phases;
}

int PhaseLegend::widthOf(Phase phase, int apart) const {
    return kSwatch + 5 + QFontMetrics(m_theme.smallFont()).horizontalAdvance(phaseText(phase)) + apart;
}

int PhaseLegend::widthOfAll(int apart) const {
    int width = kFrame;
    for (const Phase phase : phases()) width += widthOf(phase, apart);
    return width;
}

// Places the entries of the phases in one row. In a narrow legend the entries are closer together, or in several rows;
// no entry is cut off.
std::vector<std::pair<Phase, QRect>> PhaseLegend::placedIn(int width) const {
    const int apart = widthOfAll(kApart) <= width ? kApart : kMinApart;
    const bool single = widthOfAll(apart) <= width;
    std::vector<std::pair<Phase, QRect>> placed;
    int x = single ? width - widthOfAll(apart) + kFrame : kFrame;
    int y = 0;
    for (const Phase phase : phases()) {
        const int own = widthOf(phase, apart);
        if (!single && x > kFrame && x + own > width) {
            x = kFrame;
            y += kHeight;
        }
        placed.emplace_back(phase, QRect(x, y, own, kHeight));
        x += own;
    }
    return placed;
}

void PhaseLegend::resizeEvent(QResizeEvent*) {
    setMinimumHeight(placedIn(width()).back().second.bottom() + 1);
}

QSize PhaseLegend::sizeHint() const {
    return {widthOfAll(kApart), std::max<int>(kHeight, minimumHeight())};
}

QSize PhaseLegend::minimumSizeHint() const {
    int widest = 0;
    for (const Phase phase : phases()) widest = std::max(widest, widthOf(phase, kMinApart));
    return {widest + kFrame, kHeight};
}

std::vector<Phase> PhaseLegend::litPhases() const {
    std::vector<Phase> lit;
    const RunData& run = m_model.run();
    if (!m_model.isLive()) return lit;
    if (run.pauses().isPaused()) {
        if (const auto phase = pausedPhase(run.pauses())) lit.push_back(*phase);
    } else if (run.pauses().rate() > 0) {
        for (const RankData& rank : run.ranks())
            if (rank.phase) lit.push_back(*rank.phase);
    }
    return lit;
}

void PhaseLegend::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(m_theme.smallFont());
    const std::vector<Phase> lit = litPhases();
    for (const auto& [phase, place] : placedIn(width())) {
        const int x = place.x();
        const QRectF swatch(x + 1, place.y() + (place.height() - kSwatch) / 2.0, kSwatch, kSwatch);
        fillPhase(painter, swatch, phase, m_theme, 2);
        const QString text = phaseText(phase);
        const QRect name = place.adjusted(kSwatch + 5, 0, 0, 0);
        if (std::ranges::find(lit, phase) != lit.end()) {
            painter.setPen(QPen(m_theme.colors().accent, 1.5));
            painter.setBrush(Qt::NoBrush);
            painter.drawRoundedRect(QRectF(x - 3, place.y() + 2, widthOf(phase, 0) + 6, place.height() - 4), 4, 4);
        }
        painter.setPen(m_theme.colors().muted);
        painter.drawText(name, Qt::AlignLeft | Qt::AlignVCenter, text);
    }
}

}  // namespace ringside
