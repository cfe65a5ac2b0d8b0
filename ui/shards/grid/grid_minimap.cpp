// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/grid/grid_minimap.h"

#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <utility>

#include "shards/grid/picture/grid_marks.h"
#include "shards/grid/picture/progress_painter.h"
#include "theme/theme.h"

namespace ringside {
namespace {

constexpr int kLargestRankStrip = 14;
constexpr double kMargin = 3;
constexpr double kMinTick = 5;
constexpr int kMinRankStrip = 3;
constexpr double kMinStepBand = 48;

}  // namespace

GridMinimap::GridMinimap(Theme& theme, QWidget* parent) : Picture(theme, parent), m_largestHeight(kLargestHeight) {
    setObjectName(QStringLiteral("gridMinimap"));
    setAccessibleName(tr("Whole epoch"));
    setToolTip(tr("The whole epoch. Drag the frame, or click a position to show it."));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    connect(&m_raster, &GridRaster::imageChanged, this, qOverload<>(&QWidget::update));
}

void GridMinimap::setScene(std::optional<ShardScene> scene) {
    m_scene = std::move(scene);
    restyle();
    updateGeometry();
}

void GridMinimap::setColorBy(ColorBy by) {
    m_by = by;
    restyle();
}

void GridMinimap::restyle() {
    if (m_scene) {
        m_raster.setScene(*m_scene, CellColors(m_by, *m_scene, theme()));
    }
    update();
}

void GridMinimap::setLargestHeight(int height) {
    if (height == m_largestHeight) return;
    m_largestHeight = height;
    updateGeometry();
    update();
}

void GridMinimap::setProgress(const RunProgress& progress) {
    if (progress == m_progress) return;
    m_progress = progress;
    update();
}

void GridMinimap::setWindow(double firstSlot, double slotCount) {
    m_firstSlot = firstSlot;
    m_slots = slotCount;
    update();
}

int GridMinimap::stripsHeight() const {
    return m_scene ? std::min(m_scene->ranks() * kLargestRankStrip, m_largestHeight) : kLargestRankStrip;
}

double GridMinimap::pixelsPerSlot() const {
    return (width() - 2 * kMargin) / static_cast<double>(std::max<std::int64_t>(1, m_scene->columns()));
}

QRectF GridMinimap::strip(int rank) const {
    const double height = static_cast<double>(stripsHeight()) / m_scene->ranks();
    return {kMargin, kMargin + rank * height, width() - 2 * kMargin, height - (height >= 4 ? 2 : 0)};
}

void GridMinimap::paintEvent(QPaintEvent*) {
    if (!m_scene || m_scene->columns() == 0) {
        return;
    }
    QPainter painter(this);
    drawStrips(painter);
    drawMarks(painter);
    for (int rank = 0; rank < m_scene->ranks(); ++rank) {
        paintProgressStrip(painter, m_progress, rank, strip(rank), pixelsPerSlot(), theme());
    }
    if (showsSteps()) drawStepNames(painter);
    painter.setRenderHint(QPainter::Antialiasing);
    const double left = kMargin + m_firstSlot * pixelsPerSlot();
    QRectF window(left, 1, std::max(4.0, m_slots * pixelsPerSlot()), stripsHeight() + 2);
    window.setRight(std::min(window.right(), width() - 1.0));
    painter.setPen(QPen(theme().colors().text, 1.5));
    painter.drawRoundedRect(window, 3, 3);
}

void GridMinimap::drawStrips(QPainter& painter) {
    if (showsSteps()) return drawSteps(painter);
    const double ratio = devicePixelRatioF();
    const int pixels = std::max(1, static_cast<int>((width() - 2 * kMargin) * ratio));
    m_raster.requestLatest({0, static_cast<double>(m_scene->columns()) / pixels, pixels, {0, m_scene->ranks()}});
    const QImage& image = m_raster.image();
    if (image.isNull()) {
        return;
    }
    if (isLow()) {  // without room for gaps between the strips, draws the image of all ranks at once
        painter.setRenderHint(QPainter::SmoothPixmapTransform);
        painter.drawImage(QRectF(kMargin, kMargin, width() - 2 * kMargin, stripsHeight()), image);
        return;
    }
    for (int rank = 0; rank < std::min(m_scene->ranks(), image.height()); ++rank) {
        drawImageRow(painter, strip(rank), image, rank);
    }
    const double stepWidth = pixelsPerSlot() * static_cast<double>(m_scene->plan.spec().batchSize);
    for (std::int64_t step = 1; stepWidth >= 8 && step < m_scene->plan.stepsPerEpoch(); ++step) {
        painter.fillRect(QRectF(kMargin + static_cast<double>(step) * stepWidth - 1, 0, 1.5, height()),
                         theme().colors().panel);
    }
}

bool GridMinimap::isLow() const {
    return m_scene && stripsHeight() < kMinRankStrip * m_scene->ranks();
}

bool GridMinimap::showsSteps() const {
    return isLow() && (m_by == ColorBy::Rank || m_by == ColorBy::Batch);
}

// Returns the bands of the steps. If steps are narrow, a band contains several steps and is named by its first one.
std::vector<GridMinimap::StepBand> GridMinimap::stepBands() const {
    const std::int64_t steps = std::max<std::int64_t>(1, m_scene->plan.stepsPerEpoch());
    const double batch = static_cast<double>(m_scene->plan.spec().batchSize) * pixelsPerSlot();
    const auto every = static_cast<std::int64_t>(std::max(1.0, std::ceil(kMinStepBand / batch)));
    std::vector<StepBand> bands;
    for (std::int64_t step = 0; step < steps; step += every) {
        const double left = kMargin + static_cast<double>(step) * batch;
        const double right = std::min(width() - kMargin, left + static_cast<double>(every) * batch);
        bands.push_back({QRectF(left, kMargin, right - left, stripsHeight()),
                         every == 1 ? tr("step %1").arg(step + 1) : QString::number(step + 1)});
    }
    return bands;
}

// Draws the steps instead of a strip for each rank. Used if the strips would be lower than kMinRankStrip, and if the
// colours show ranks or batches. Marks of padded and dropped samples are drawn separately.
void GridMinimap::drawSteps(QPainter& painter) const {
    const ThemeColors& c = theme().colors();
    bool isEven = true;
    for (const StepBand& band : stepBands())
        painter.fillRect(band.rect, std::exchange(isEven, !isEven) ? c.accentSoft : c.grid);
}

// Draws the names of the steps on a background, because the progress of the ranks covers the bands.
void GridMinimap::drawStepNames(QPainter& painter) const {
    const ThemeColors& c = theme().colors();
    painter.setFont(theme().smallFont());
    for (const StepBand& band : stepBands()) {
        const QSizeF size(painter.fontMetrics().horizontalAdvance(band.name) + 2 * kMargin,
                          painter.fontMetrics().height());
        if (size.width() > band.rect.width()) continue;
        const QRectF place(band.rect.bottomLeft() - QPointF(0, size.height()), size);
        painter.fillRect(place, c.panel);
        painter.setPen(c.muted);
        painter.drawText(place, Qt::AlignCenter, band.name);
    }
}

void GridMinimap::drawMarks(QPainter& painter) const {
    for (int rank = 0; rank < m_scene->ranks(); ++rank) {
        const QRectF row = strip(rank);
        for (const PlacedMark& mark : placedMarks(markRuns(*m_scene, rank), 0, pixelsPerSlot(), kMinTick)) {
            const QRectF rect(row.left() + mark.left, row.top(), mark.right - mark.left, row.height());
            painter.fillRect(rect, theme().colors().panel);
            if (mark.run.kind == CellKind::DroppedByLoader) {
                painter.fillRect(rect, QBrush(theme().colors().danger, Qt::BDiagPattern));
                continue;
            }
            const bool duplicate = mark.run.kind == CellKind::Duplicate;
            painter.setPen(
                QPen(duplicate ? theme().colors().warning : theme().colors().danger, row.height() >= 5 ? 1.5 : 1));
            painter.drawRect(rect.adjusted(0.5, 0.5, -0.5, -0.5));
        }
    }
}

std::vector<Identity> GridMinimap::identitiesAt(const QPoint& point) const {
    if (!m_scene || m_scene->columns() == 0) return {};
    const double slot = (point.x() - kMargin) / pixelsPerSlot();
    const std::int64_t step = static_cast<std::int64_t>(std::floor(slot)) / m_scene->plan.spec().batchSize;
    std::vector<Identity> found;
    const int rank = static_cast<int>((point.y() - kMargin) * m_scene->ranks() / stripsHeight());
    if (!isLow() && rank >= 0 && rank < m_scene->ranks()) found.push_back({IdentityKind::Rank, rank});
    if (slot >= 0 && step < m_scene->plan.stepsPerEpoch())
        found.push_back({IdentityKind::Step, m_scene->epoch * m_scene->plan.stepsPerEpoch() + step + 1});
    found.push_back({IdentityKind::Epoch, m_scene->epoch});
    return found;
}

void GridMinimap::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return event->ignore();
    if (!m_scene) {
        return;
    }
    const double slot = (event->position().x() - kMargin) / pixelsPerSlot();
    const bool inside = slot >= m_firstSlot && slot <= m_firstSlot + m_slots;
    m_grabbed = inside ? slot - m_firstSlot : m_slots / 2;
    mouseMoveEvent(event);
}

void GridMinimap::mouseMoveEvent(QMouseEvent* event) {
    if (m_scene && event->buttons() & Qt::LeftButton) {
        Q_EMIT windowMoved((event->position().x() - kMargin) / pixelsPerSlot() - m_grabbed);
    }
}

}  // namespace ringside
