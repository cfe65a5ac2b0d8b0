// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/grid/grid_widget.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

#include "shards/cells/cell_painter.h"
#include "shards/grid/grid_navigation.h"
#include "shards/grid/picture/progress_painter.h"
#include "shards/scene/cell_identities.h"
#include "theme/theme.h"
#include "theme/type_length.h"

namespace ringside {
namespace {

constexpr TypePixels kNamesWidth{84};
constexpr TypePixels kStepsHeight{24};
constexpr int kScrollBarWidth = 10;
constexpr qint64 kScrubMs = 400;

}  // namespace

GridWidget::GridWidget(Theme& theme, QWidget* parent)
    : Picture(theme, parent),
      m_animation({theme, m_thumbnails, m_geometry}, this),
      m_flight(theme, *this),
      m_fade(theme, *this),
      m_scrollBar(Qt::Vertical, this) {
    setObjectName(QStringLiteral("gridWidget"));
    setAccessibleName(tr("Grid: which rank trains on which sample"));
    auto* navigation = new GridNavigation(*this, m_geometry, [this] { return cellsArea().topLeft(); });
    connect(navigation, &GridNavigation::viewMoved, this, &GridWidget::changeView);
    connect(navigation, &GridNavigation::hovered, this, &GridWidget::hover);
    connect(navigation, &GridNavigation::clicked, this, &GridWidget::click);
    connect(navigation, &GridNavigation::selectionMoved, this, &GridWidget::moveSelection);
    m_scrollBar.setObjectName(QStringLiteral("gridScrollBar"));
    connect(&m_scrollBar, &QScrollBar::valueChanged, this, [this](int value) {
        m_geometry.setScrollY(value);
        update();
        Q_EMIT viewChanged();
    });
    connect(&m_thumbnails, &Thumbnails::arrived, this, qOverload<>(&QWidget::update));
    connect(&m_raster, &GridRaster::imageChanged, this, qOverload<>(&QWidget::update));
}

void GridWidget::setScene(std::optional<ShardScene> scene, std::shared_ptr<const CellOrigins> origins) {
    const bool first = !m_contents.scene && scene;
    const std::optional<ShardScene> before = std::move(m_contents.scene);
    m_contents.scene = std::move(scene);
    m_origins = std::move(origins);
    m_contents.hovered.reset();
    if (m_contents.scene) {
        m_geometry.setShape(m_contents.scene->columns(), m_contents.scene->ranks());
        m_thumbnails.setData(m_contents.scene->data);
        if (first) m_geometry.showStart();
    }
    restyle();
    changeView();
    animateChange(before);
}

// Animates a change to another epoch of the same settings: cards that are large enough move from the order to their
// ranks, unless there are too many; smaller cells fade. Changes within kScrubMs, as while the user drags the epoch
// slider, are not animated.
void GridWidget::animateChange(const std::optional<ShardScene>& before) {
    const bool scrubbing = m_sinceEpoch.isValid() && m_sinceEpoch.elapsed() < kScrubMs;
    if (!before || !m_contents.scene || before->epoch == m_contents.scene->epoch ||
        !(before->specAt(0) == m_contents.scene->specAt(0)))
        return;
    m_sinceEpoch.start();
    if (scrubbing || !isVisible() || !theme().allowsMotion()) return;
    const CellDetail detail = m_geometry.detail();
    if (detail != CellDetail::Thumbnail && detail != CellDetail::Index) {
        m_fading = m_raster.image();
        m_fadingRequest = m_raster.imageRequest();
        m_fade.prepareFade();
    } else if (!m_origins &&
               m_geometry.visibleRanks().size() * m_geometry.visibleSlots().size() <= AssignmentAnimation::kMaxCards) {
        animateAssignment(AssignmentAnimation::Speed::Quick);
    }
}

void GridWidget::animateAssignment(AssignmentAnimation::Speed speed) {
    if (!m_contents.scene || m_contents.scene->columns() == 0) return;
    const CellDetail detail = m_geometry.detail();
    if (detail != CellDetail::Thumbnail && detail != CellDetail::Index) showStart();
    m_animation.start(*m_contents.scene, *m_contents.colors, speed, cellsArea());
}

void GridWidget::setColorBy(ColorBy by) {
    m_by = by;
    restyle();
}

void GridWidget::restyle() {
    m_contents.colors.reset();
    if (m_contents.scene) {
        m_contents.colors.emplace(m_origins ? ColorBy::Origin : m_by, *m_contents.scene, theme(), m_origins);
        m_thumbnails.setColors(theme().colors().panel, theme().colors().text);
        m_raster.setScene(*m_contents.scene, *m_contents.colors);
    }
    update();
}

QRectF GridWidget::cellsArea() const {
    return QRectF(rect()).adjusted(kNamesWidth, kStepsHeight, -kScrollBarWidth - 2, 0);
}

void GridWidget::changeView() {
    m_animation.stop();
    const int hidden = static_cast<int>(std::ceil(m_geometry.contentHeight() - cellsArea().height()));
    const QSignalBlocker blocker(&m_scrollBar);
    m_scrollBar.setRange(0, std::max(0, hidden));
    m_scrollBar.setPageStep(static_cast<int>(cellsArea().height()));
    m_scrollBar.setSingleStep(static_cast<int>(m_geometry.rowHeight()));
    m_scrollBar.setValue(static_cast<int>(m_geometry.scrollY()));
    m_scrollBar.setVisible(m_contents.scene && hidden > 0);
    update();
    Q_EMIT viewChanged();
}

void GridWidget::setSelected(std::optional<GridCell> cell) {
    m_contents.selected = cell;
    update();
}

void GridWidget::setDifferences(std::shared_ptr<const CellDifferences> differences) {
    m_contents.differences = std::move(differences);
    update();
}

void GridWidget::setHits(const Hits& hits) {
    if (hits == m_contents.hits) return;
    m_contents.hits = hits;
    update();
}

void GridWidget::setStep(std::optional<CellRange> slots_) {
    if (slots_ == m_contents.step) return;
    m_contents.step = slots_;
    update();
}

void GridWidget::setProgress(const RunProgress& progress) {
    if (progress == m_contents.progress) return;
    m_contents.progress = progress;
    m_flight.setProgress(progress);
    update();
}

void GridWidget::copyView(const GridWidget& other) {
    m_geometry.copyView(other.m_geometry);
    const QSignalBlocker blocker(this);
    changeView();
}

bool GridWidget::isSettled() const {
    if (visibleRegion().isEmpty()) return true;  // scrolled out of sight: nothing is drawn
    const CellDetail detail = m_geometry.detail();
    if (detail == CellDetail::Thumbnail) return m_thumbnails.isSettled();
    return detail == CellDetail::Index || m_raster.isSettled();
}

void GridWidget::reveal(GridCell cell) {
    m_geometry.show(cell);
    changeView();
}

void GridWidget::setFirstSlot(double slot) {
    m_geometry.setFirstSlot(slot);
    changeView();
}

void GridWidget::showSlots(CellRange span) {
    m_geometry.showSlots(span);
    changeView();
}

void GridWidget::fit() {
    m_geometry.fit();
    changeView();
}

void GridWidget::showStart() {
    m_geometry.showStart();
    changeView();
}

void GridWidget::resizeEvent(QResizeEvent*) {
    m_geometry.setArea(cellsArea().size());
    m_scrollBar.setGeometry(width() - kScrollBarWidth, kStepsHeight, kScrollBarWidth, height() - kStepsHeight);
    changeView();
}

std::optional<GridCell> GridWidget::sampleAt(const QPointF& position) const {
    if (!m_contents.scene) return {};
    const std::optional<GridCell> cell = m_geometry.cellAt(position);
    const bool hasSample = cell && cellContent(m_contents.scene->plan, cell->rank, cell->slot).kind != CellKind::None;
    return hasSample ? cell : std::nullopt;
}

void GridWidget::click(const QPointF& position) {
    if (const auto cell = sampleAt(position)) Q_EMIT cellClicked(*cell);
}

void GridWidget::hover(std::optional<QPointF> position) {
    const std::optional<GridCell> cell = position ? sampleAt(*position) : std::nullopt;
    if (cell == m_contents.hovered) return;
    m_contents.hovered = cell;
    update();
    Q_EMIT cellHovered(cell);
}

std::vector<Identity> GridWidget::identitiesAt(const QPoint& point) const {
    const auto cell = m_geometry.cellAt(QPointF(point) - cellsArea().topLeft());
    return m_contents.scene && cell ? identitiesOf(*m_contents.scene, *cell) : std::vector<Identity>();
}

void GridWidget::moveSelection(int ranks, qint64 slotCount) {
    if (!m_contents.scene) {
        return;
    }
    GridCell next{0, m_geometry.visibleSlots().first};
    if (m_contents.selected) {
        next = {std::clamp(m_contents.selected->rank + ranks, 0, m_contents.scene->ranks() - 1),
                std::clamp<qint64>(m_contents.selected->slot + slotCount, 0, m_contents.scene->columns() - 1)};
    }
    if (cellContent(m_contents.scene->plan, next.rank, next.slot).kind != CellKind::None) {
        Q_EMIT cellClicked(next);
        reveal(next);
    }
}

void GridWidget::paintEvent(QPaintEvent*) {
    if (!m_contents.scene || !m_contents.colors || m_contents.scene->columns() == 0) return;
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF area = cellsArea();
    const GridPainter grid(painter, theme(), m_contents, m_geometry, m_thumbnails, area);
    grid.drawRankNames(m_flight);
    grid.drawSteps();
    painter.setClipRect(area.adjusted(-2, -1, 2, 0));
    painter.translate(area.topLeft());
    m_cellsDrawn = m_geometry.visibleRanks().size() * m_geometry.visibleSlots().size();
    drawCells(grid, painter);
    grid.drawChunks();
    grid.drawMarks();
    grid.drawDifferences();
    if (m_flight.isAnyComputing()) m_flight.paintEmptiedCells(painter, m_geometry);
    paintProgress(painter, m_contents.progress, m_geometry, theme());
    grid.drawStep();
    grid.drawHits();
    grid.drawCursors();
    if (!m_flight.isFlying()) return;
    painter.setClipping(false);
    m_flight.paintCards(painter, CellPainter(*m_contents.scene, *m_contents.colors, theme(), m_thumbnails), m_geometry);
}

void GridWidget::drawCells(const GridPainter& grid, QPainter& painter) {
    const CellDetail detail = m_geometry.detail();
    if (detail == CellDetail::Thumbnail || detail == CellDetail::Index) {
        grid.drawCards();
        grid.drawBorders();
    } else {
        drawRaster(grid, painter);
    }
}

// Draws the latest image of the raster; after a change of the epoch, the image of the previous epoch fades out above
// it.
void GridWidget::drawRaster(const GridPainter& grid, QPainter& painter) {
    const double ratio = devicePixelRatioF();
    m_raster.requestLatest({m_geometry.firstSlot(), 1 / (m_geometry.pitch() * ratio),
                            static_cast<int>(std::ceil(m_geometry.area().width() * ratio)), m_geometry.visibleRanks()});
    painter.setRenderHint(QPainter::Antialiasing, false);
    grid.drawStrips(m_raster.image(), m_raster.imageRequest());
    if (m_fade.isPrepared() && m_raster.isSettled()) m_fade.startFade();
    if (m_fade.opacity() > 0) {
        painter.setOpacity(m_fade.opacity());
        grid.drawStrips(m_fading, m_fadingRequest);
        painter.setOpacity(1);
    }
    grid.drawBorders();
    painter.setRenderHint(QPainter::Antialiasing);
}

}  // namespace ringside
