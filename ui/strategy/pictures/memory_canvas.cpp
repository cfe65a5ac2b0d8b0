// SPDX-License-Identifier: GPL-3.0-or-later
#include "strategy/pictures/memory_canvas.h"

#include <QPainter>
#include <algorithm>

#include "strategy/pictures/ink.h"
#include "strategy/pictures/memory_legend.h"
#include "strategy/scene/strategy_sentences.h"
#include "theme/theme.h"
#include "theme/type_length.h"
#include "theme/work_colors.h"

namespace ringside {
namespace {

constexpr TypeLength kNames{60}, kValues{80}, kLegend{40};
constexpr double kMebibyte = 1 << 20;
constexpr TypeLength kMinBar{13};
constexpr double kMaxBar = 44;

}  // namespace

MemoryCanvas::MemoryCanvas(Theme& theme, QWidget* parent)
    : StrategyCanvas(QStringLiteral("memoryCanvas"), theme, parent) {
    setAccessibleName(tr("Memory of each rank by use"));
}

QStringList MemoryCanvas::partNames() {
    return {tr("parameters"), tr("gradients"), tr("optimizer"), tr("activations"), tr("gathered"), tr("buffers")};
}

std::vector<std::int64_t> MemoryCanvas::parts(const StrategyScene& scene, int rank) {
    const auto at = static_cast<std::size_t>(rank);
    if (isMeasured(scene)) {
        const RankMemory& m = scene.ran->memory[at];
        return {m.parameters, m.gradients, m.optimizer, m.activations, m.gathered, m.buffers};
    }
    const PredictedMemory& m = scene.cost->memory[at];
    return {m.parameters, m.gradients, m.optimizer, m.activations, m.gathered, m.buffers};
}

void MemoryCanvas::sceneChanged() {
    const auto ranks = scene().cost ? static_cast<double>(scene().plan().mesh.ranks()) : 1;
    setMinimumHeight(static_cast<int>(kLegend + ranks * kMinBar));
}

double MemoryCanvas::barWidth() const {
    return std::max(40.0, width() - kNames - kValues);
}

double MemoryCanvas::rowHeight() const {
    return std::clamp<double>((height() - kLegend) / static_cast<double>(scene().plan().mesh.ranks()), kMinBar,
                              kMaxBar);
}

void MemoryCanvas::draw(QPainter& painter) {
    const double limit = scene().config.parallel.memoryLimitMb * kMebibyte;
    double most = std::max(limit, static_cast<double>(scene().cost->largestPeak()));
    if (isMeasured(scene()))
        for (const RankMemory& one : scene().ran->memory) most = std::max(most, static_cast<double>(one.peak));
    const double scale = barWidth() / std::max(1.0, most);
    for (int rank = 0; rank < scene().plan().mesh.ranks(); ++rank) drawRank(painter, rank, scale);
    if (limit > 0) drawLimit(painter, scale);
    drawLegend(painter);
}

void MemoryCanvas::drawRank(QPainter& painter, int rank, double scale) {
    const ThemeColors& c = theme().colors();
    const double row = rowHeight();
    const double bar = std::min(30.0, row - (row > 20 ? 8 : 3));
    const double top = rank * row + (row - bar) / 2;
    identify(QRectF(0, rank * row, width(), row), {{IdentityKind::Rank, rank}});
    painter.setFont(row >= 20 ? theme().numberFont() : theme().smallFont());
    painter.setPen(c.text);
    painter.drawText(QRectF(0, top, kNames - 6, bar), Qt::AlignLeft | Qt::AlignVCenter, tr("Rank %1").arg(rank));
    const std::vector<std::int64_t> all = parts(scene(), rank);
    const bool measured = isMeasured(scene());
    double x = kNames;
    double sum = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const auto bytes = static_cast<double>(all[i]);
        const QColor color = memoryColor(static_cast<int>(i));
        const QRectF part(x, top, bytes * scale, bar);
        painter.fillRect(part, measured ? color : paler(color, c));
        explain(part, tr("Rank %1: %2 %3, %4")
                          .arg(rank)
                          .arg(bytesText(bytes), partNames()[static_cast<int>(i)],
                               measured ? tr("measured") : tr("predicted")));
        x += bytes * scale;
        sum += bytes;
    }
    const auto predicted = static_cast<double>(scene().cost->memory[static_cast<std::size_t>(rank)].peak());
    painter.setPen(QPen(c.text, 1.2));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(QRectF(kNames - 1.5, top - 1.5, predicted * scale + 3, bar + 3), 3, 3);
    const double limit = scene().config.parallel.memoryLimitMb * kMebibyte;
    painter.setPen(limit > 0 && sum > limit ? c.danger : c.text);
    painter.drawText(QRectF(kNames + std::max(predicted, sum) * scale + 8, top, kValues, bar),
                     Qt::AlignLeft | Qt::AlignVCenter, bytesText(sum));
}

void MemoryCanvas::drawLimit(QPainter& painter, double scale) {
    const double limit = scene().config.parallel.memoryLimitMb;
    const double x = kNames + limit * kMebibyte * scale;
    const double bottom = rowHeight() * static_cast<double>(scene().plan().mesh.ranks());
    painter.setPen(QPen(theme().colors().danger, 1.2, Qt::DashLine));
    painter.drawLine(QPointF(x, 0), QPointF(x, bottom + 2));
    painter.setFont(theme().smallFont());
    painter.drawText(QRectF(x - 160, bottom + 2, 160, 14), Qt::AlignRight,
                     tr("limit %1").arg(bytesText(limit * kMebibyte)));
}

void MemoryCanvas::drawLegend(QPainter& painter) {
    std::vector<std::int64_t> most(static_cast<std::size_t>(partNames().size()));
    for (int rank = 0; rank < scene().plan().mesh.ranks(); ++rank) {
        const std::vector<std::int64_t> all = parts(scene(), rank);
        for (std::size_t i = 0; i < most.size(); ++i) most[i] = std::max(most[i], all[i]);
    }
    paintMemoryLegend(painter, QRectF(0, height() - memoryLegendHeight(), width(), memoryLegendHeight()), most,
                      inFlightSentence(scene()), theme());
}

}  // namespace ringside
