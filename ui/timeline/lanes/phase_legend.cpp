// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/lanes/phase_legend.h"

#include <QPainter>
#include <algorithm>

#include "theme/phase_colors.h"
#include "theme/theme.h"
#include "words/phase_text.h"

namespace ringside {
namespace {

constexpr int kSwatch = 11;
constexpr int kHeight = 22;
constexpr int kApart = Theme::kSpace3;  // distance between two phases
constexpr int kLeastApart = Theme::kSpace1;

}  // namespace

PhaseLegend::PhaseLegend(const TimelineModel& model, const Theme& theme, QWidget* parent)
    : QWidget(parent), m_model(model), m_theme(theme) {
    setObjectName(QStringLiteral("phaseLegendArea"));
    setAccessibleName(tr("Colours of the phases"));
    setToolTip(
        tr("Waiting: in a collective, until the last rank has come. Moving: its bytes, from then on. Triangles "
           "below a lane: a bucket is ready there; the line beside it: its bytes move."));
    setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
    connect(&model, &TimelineModel::dataChanged, this, qOverload<>(&QWidget::update));
    connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

std::vector<Phase> PhaseLegend::phases() const {
    return {Phase::kDataWait, Phase::kForward, Phase::kBackward, Phase::kWaiting, Phase::kMoving, Phase::kOptimizer};
}

int PhaseLegend::widthOf(Phase phase, int apart) const {
    return kSwatch + 5 + QFontMetrics(m_theme.noteFont()).horizontalAdvance(phaseText(phase)) + apart;
}

int PhaseLegend::widthOfAll(int apart) const {
    int width = 0;
    for (const Phase phase : phases()) width += widthOf(phase, apart);
    return width;
}

// Returns the distance between two phases, which is smaller if there is less room.
int PhaseLegend::apartIn(int width) const {
    return std::clamp((width - widthOfAll(0)) / static_cast<int>(phases().size()), kLeastApart, kApart);
}

QSize PhaseLegend::sizeHint() const {
    return {widthOfAll(kApart), kHeight};
}

QSize PhaseLegend::minimumSizeHint() const {
    return {widthOfAll(kLeastApart), kHeight};
}

std::vector<Phase> PhaseLegend::litPhases() const {
    std::vector<Phase> lit;
    const RunData& run = m_model.run();
    if (!m_model.isLive()) return lit;
    if (run.isPaused()) {
        if (const auto phase = phaseNamed(run.pausedAfter())) lit.push_back(*phase);
    } else if (run.stepsPerSecondAtMost() > 0) {
        for (const RankData& rank : run.ranks())
            if (rank.phase) lit.push_back(*rank.phase);
    }
    return lit;
}

void PhaseLegend::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(m_theme.noteFont());
    const std::vector<Phase> lit = litPhases();
    const int apart = apartIn(width());
    int x = width() - widthOfAll(apart);
    for (const Phase phase : phases()) {
        const QRectF swatch(x + 1, (height() - kSwatch) / 2.0, kSwatch, kSwatch);
        fillPhase(painter, swatch, phase, m_theme, 2);
        const QString text = phaseText(phase);
        const QRectF name(x + kSwatch + 5, 0, widthOf(phase, apart), height());
        if (std::ranges::find(lit, phase) != lit.end()) {
            painter.setPen(QPen(m_theme.colors().accent, 1.5));
            painter.setBrush(Qt::NoBrush);
            painter.drawRoundedRect(QRectF(x - 3, 2, widthOf(phase, 0) + 6, height() - 4), 4, 4);
        }
        painter.setPen(m_theme.colors().muted);
        painter.drawText(name, Qt::AlignLeft | Qt::AlignVCenter, text);
        x += widthOf(phase, apart);
    }
}

}  // namespace ringside
