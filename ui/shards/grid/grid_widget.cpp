// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/grid/grid_widget.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QWheelEvent>
#include <cmath>

#include "shards/scene/cell_identities.h"
#include "theme/theme.h"
#include "theme/type_length.h"

namespace ringside {
namespace {

constexpr TypePixels kNamesWidth{84};
constexpr TypePixels kStepsHeight{24};
constexpr int kScrollBarWidth = 10;
constexpr double kZoomPerNotch = 1.25;
constexpr double kDragThreshold = 4;
constexpr qint64 kScrubMs = 400;

}  // namespace

GridWidget::GridWidget(Theme& theme, QWidget* parent)
    : QWidget(parent),
      m_theme(theme),
      m_animation({theme, m_thumbnails, m_geometry}, this),
      m_flight(theme, *this),
      m_fade(theme, *this),
      m_scrollBar(Qt::Vertical, this) {
    setObjectName(QStringLiteral("gridWidget"));
    setAccessibleName(tr("Grid: which rank trains on which sample"));
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    m_scrollBar.setObjectName(QStringLiteral("gridScrollBar"));
    connect(&m_scrollBar, &QScrollBar::valueChanged, this, [this](int value) {
        m_geometry.setScrollY(value);
        update();
        Q_EMIT viewChanged();
    });
    connect(&m_thumbnails, &Thumbnails::arrived, this, qOverload<>(&QWidget::update));
    connect(&m_raster, &GridRaster::imageChanged, this, qOverload<>(&QWidget::update));
    connect(&m_animation, &AssignmentOverlay::groupChanged, this, &GridWidget::animationAdvanced);
    connect(&m_animation, &AssignmentOverlay::ended, this, &GridWidget::animationEnded);
    connect(&theme, &Theme::changed, this, &GridWidget::restyle);
}

void GridWidget::setScene(std::optional<ShardScene> scene, std::shared_ptr<const CellOrigins> origins) {
    const bool first = !m_scene && scene;
    const std::optional<ShardScene> before = std::move(m_scene);
    m_scene = std::move(scene);
    m_origins = std::move(origins);
    m_hovered.reset();
    if (m_scene) {
        m_geometry.setShape(m_scene->columns(), m_scene->ranks());
        m_thumbnails.setData(m_scene->data);
        if (first) m_geometry.home();
    }
    restyle();
    changeView();
    animateChange(before);
}

// Animates a change to another epoch of the same settings: as an assignment if cards are large enough, otherwise as a
// fade. While the epoch slider moves, epochs are shown without animation.
void GridWidget::animateChange(const std::optional<ShardScene>& before) {
    const bool scrubbing = m_sinceEpoch.isValid() && m_sinceEpoch.elapsed() < kScrubMs;
    if (!before || !m_scene || before->epoch == m_scene->epoch || !(before->specAt(0) == m_scene->specAt(0))) return;
    m_sinceEpoch.start();
    if (scrubbing || !isVisible() || !m_theme.allowsMotion()) return;
    const CellDetail detail = m_geometry.detail();
    if (detail != CellDetail::Thumbnail && detail != CellDetail::Index) {
        m_fading = m_raster.image();
        m_fadingRequest = m_raster.imageRequest();
        m_fade.keepCurrentPicture();
    } else if (!m_origins &&
               m_geometry.visibleRanks().size() * m_geometry.visibleSlots().size() <= AssignmentAnimation::kMostCards) {
        animateAssignment(AssignmentAnimation::Speed::Quick);
    }
}

void GridWidget::animateAssignment(AssignmentAnimation::Speed speed) {
    if (!m_scene || m_scene->columns() == 0) return;
    const CellDetail detail = m_geometry.detail();
    if (detail != CellDetail::Thumbnail && detail != CellDetail::Index) home();
    m_animation.start(*m_scene, *m_colors, speed, cellsArea());
}

void GridWidget::setColorBy(ColorBy by) {
    m_by = by;
    restyle();
}

void GridWidget::restyle() {
    m_colors.reset();
    if (m_scene) {
        m_colors.emplace(m_origins ? ColorBy::Origin : m_by, *m_scene, m_theme, m_origins);
        m_thumbnails.setColors(m_theme.colors().panel, m_theme.colors().text);
        m_raster.setScene(*m_scene, *m_colors);
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
    m_scrollBar.setVisible(m_scene && hidden > 0);
    update();
    Q_EMIT viewChanged();
}

void GridWidget::setSelected(std::optional<GridCell> cell) {
    m_selected = cell;
    update();
}

void GridWidget::setDifferences(std::shared_ptr<const CellDifferences> differences) {
    m_differences = std::move(differences);
    update();
}

void GridWidget::setHits(const Hits& hits) {
    if (hits == m_hits) return;
    m_hits = hits;
    update();
}

void GridWidget::setStep(std::optional<CellRange> slots_) {
    if (slots_ == m_step) return;
    m_step = slots_;
    update();
}

void GridWidget::setProgress(const RunProgress& progress) {
    if (progress == m_progress) return;
    m_progress = progress;
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

void GridWidget::home() {
    m_geometry.home();
    changeView();
}

void GridWidget::resizeEvent(QResizeEvent*) {
    m_geometry.setArea(cellsArea().size());
    m_scrollBar.setGeometry(width() - kScrollBarWidth, kStepsHeight, kScrollBarWidth, height() - kStepsHeight);
    changeView();
}

void GridWidget::wheelEvent(QWheelEvent* event) {
    const QPointF at = event->position() - cellsArea().topLeft();
    const QPointF turn = event->pixelDelta().isNull() ? QPointF(event->angleDelta()) / 2 : QPointF(event->pixelDelta());
    if (event->modifiers() & Qt::ShiftModifier) {
        m_geometry.panBy({-(turn.x() + turn.y()), 0});
    } else if (event->modifiers() & Qt::ControlModifier || at.x() < 0) {
        m_geometry.panBy({0, -turn.y()});
    } else if (std::abs(turn.x()) > std::abs(turn.y())) {
        m_geometry.panBy({-turn.x(), 0});
    } else {
        m_geometry.zoomAt(at, std::pow(kZoomPerNotch, turn.y() / 60));
    }
    event->accept();
    changeView();
}

void GridWidget::mousePressEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton) {
        m_dragFrom = event->position();
        m_dragged = false;
    }
}

void GridWidget::mouseMoveEvent(QMouseEvent* event) {
    if (m_dragFrom) {
        const QPointF moved = event->position() - *m_dragFrom;
        if (!m_dragged && moved.manhattanLength() < kDragThreshold) {
            return;
        }
        m_dragged = true;
        m_dragFrom = event->position();
        setCursor(Qt::ClosedHandCursor);
        m_geometry.panBy(-moved);
        changeView();
        return;
    }
    hover(m_scene ? m_geometry.cellAt(event->position() - cellsArea().topLeft()) : std::nullopt);
}

void GridWidget::mouseReleaseEvent(QMouseEvent* event) {
    unsetCursor();
    const bool click = m_dragFrom && !m_dragged && m_scene;
    m_dragFrom.reset();
    if (!click) {
        return;
    }
    const auto cell = m_geometry.cellAt(event->position() - cellsArea().topLeft());
    if (cell && cellContent(m_scene->plan, cell->rank, cell->slot).kind != CellKind::None) {
        Q_EMIT cellClicked(*cell);
    }
}

std::vector<Identity> GridWidget::identitiesAt(const QPoint& point) const {
    const auto cell = m_geometry.cellAt(QPointF(point) - cellsArea().topLeft());
    return m_scene && cell ? identitiesOf(*m_scene, *cell) : std::vector<Identity>();
}

void GridWidget::leaveEvent(QEvent*) {
    hover({});
}

void GridWidget::hover(std::optional<GridCell> cell) {
    if (cell && cellContent(m_scene->plan, cell->rank, cell->slot).kind == CellKind::None) {
        cell.reset();
    }
    if (cell != m_hovered) {
        m_hovered = cell;
        update();
        Q_EMIT cellHovered(cell);
    }
}

void GridWidget::keyPressEvent(QKeyEvent* event) {
    const QPointF middle(m_geometry.area().width() / 2, m_geometry.area().height() / 2);
    const double stride = m_geometry.area().width() / 4;
    switch (event->key()) {
        case Qt::Key_W:
            m_geometry.zoomAt(middle, kZoomPerNotch);
            break;
        case Qt::Key_S:
            m_geometry.zoomAt(middle, 1 / kZoomPerNotch);
            break;
        case Qt::Key_A:
            m_geometry.panBy({-stride, 0});
            break;
        case Qt::Key_D:
            m_geometry.panBy({stride, 0});
            break;
        case Qt::Key_F:
            m_geometry.fit();
            break;
        case Qt::Key_Home:
            m_geometry.home();
            break;
        case Qt::Key_End:
            m_geometry.setFirstSlot(static_cast<double>(m_geometry.slotCount()));
            break;
        case Qt::Key_Left:
            moveSelection(0, -1);
            return;
        case Qt::Key_Right:
            moveSelection(0, 1);
            return;
        case Qt::Key_Up:
            moveSelection(-1, 0);
            return;
        case Qt::Key_Down:
            moveSelection(1, 0);
            return;
        default:
            QWidget::keyPressEvent(event);
            return;
    }
    changeView();
}

void GridWidget::moveSelection(int ranks, qint64 slots_) {
    if (!m_scene) {
        return;
    }
    GridCell next{0, m_geometry.visibleSlots().first};
    if (m_selected) {
        next = {std::clamp(m_selected->rank + ranks, 0, m_scene->ranks() - 1),
                std::clamp<qint64>(m_selected->slot + slots_, 0, m_scene->columns() - 1)};
    }
    if (cellContent(m_scene->plan, next.rank, next.slot).kind != CellKind::None) {
        Q_EMIT cellClicked(next);
        reveal(next);
    }
}

}  // namespace ringside
