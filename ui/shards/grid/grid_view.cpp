// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/grid/grid_view.h"

#include <QHBoxLayout>
#include <QVBoxLayout>
#include <algorithm>

#include "theme/theme.h"
#include "theme/type_length.h"

namespace ringside {
namespace {

constexpr TypePixels kOneRowHeader{500};
constexpr int kMinWidthForLastSlots = 586;
constexpr int kLowView = 340, kLowMinimap = 28;

}  // namespace

GridView::GridView(Theme& theme, QWidget* parent) : ShardView(parent) {
    setObjectName(QStringLiteral("gridView"));
    setProperty("role", "clear");
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(Theme::kSpace2);
    layout->addWidget(makeHeader());
    m_minimap = new GridMinimap(theme);
    layout->addWidget(m_minimap);
    auto* row = new QHBoxLayout;
    row->setSpacing(Theme::kSpace3);
    m_grid = new GridWidget(theme);
    m_lastSlots = new LastSlotsPanel(theme);
    row->addWidget(m_grid, 1);
    row->addWidget(m_lastSlots);
    layout->addLayout(row, 1);
    connectParts();
}

QWidget* GridView::makeHeader() {
    auto* header = new QWidget;
    header->setProperty("role", "clear");
    m_header = new QBoxLayout(QBoxLayout::LeftToRight, header);
    m_header->setContentsMargins(0, 0, 0, 0);
    auto* layout = new QHBoxLayout;
    m_trail = new Breadcrumb;
    m_trail->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_header->addWidget(m_trail, 1);
    m_header->addLayout(layout);
    m_animation = new QPushButton;
    m_animation->setObjectName(QStringLiteral("animationButton"));
    m_animation->setProperty("role", "segment");
    layout->addWidget(m_animation);
    layout->addSpacing(Theme::kSpace1);
    m_colorBy = new SegmentedControl({
        {tr("Rank"), tr("Colour by rank; every second step is paler"), QStringLiteral("colorByRankButton")},
        {tr("Class"), tr("Colour by class"), QStringLiteral("colorByClassButton")},
        {tr("Batch"), tr("Colour by step: ten colours in rotation"), QStringLiteral("colorByBatchButton")},
        {tr("Source"), tr("Colour by position in the data set, first to last"), QStringLiteral("colorBySourceButton")},
    });
    layout->addWidget(m_colorBy);
    return header;
}

void GridView::connectParts() {
    connect(m_grid, &GridWidget::viewChanged, this, &GridView::showWindow);
    connect(m_grid, &GridWidget::cellClicked, this, &ShardView::cellChosen);
    connect(m_grid, &GridWidget::cellHovered, this, &ShardView::cellHovered);
    connect(m_lastSlots, &LastSlotsPanel::cellClicked, this, &ShardView::cellChosen);
    connect(m_lastSlots, &LastSlotsPanel::cellHovered, this, &ShardView::cellHovered);
    connect(m_minimap, &GridMinimap::windowMoved, m_grid, &GridWidget::setFirstSlot);
    connect(m_trail, &Breadcrumb::chosen, this, &GridView::goTo);
    connect(m_animation, &QPushButton::clicked, this, &GridView::animateAssignment);
    connect(&m_grid->animation(), &AssignmentOverlay::groupChanged, this, &ShardView::explanationChanged);
    connect(&m_grid->animation(), &AssignmentOverlay::ended, this, &GridView::nameAnimationButton);
    connect(&m_grid->animation(), &AssignmentOverlay::ended, this, &ShardView::explanationChanged);
    nameAnimationButton();
    connect(m_colorBy, &SegmentedControl::chosen, this, [this](int index) {
        const auto by = static_cast<ColorBy>(index);
        m_grid->setColorBy(by);
        m_minimap->setColorBy(by);
        m_lastSlots->setColorBy(by);
    });
}

void GridView::setScene(const ShardScene& scene) {
    m_scene.emplace(scene);
    const bool classes = scene.data && scene.data->classCount() > 0;
    m_colorBy->setChoiceEnabled(static_cast<int>(ColorBy::Class), classes,
                                classes ? tr("Colour by class") : tr("This data set has no classes"));
    m_grid->setScene(scene);
    m_minimap->setScene(scene);
    m_lastSlots->setScene(scene);
    showTrail();
}

void GridView::setSelected(std::optional<qint64>, std::optional<GridCell> cell) {
    m_grid->setSelected(cell);
    m_lastSlots->setSelected(cell);
    m_selected = cell;
    showTrail();
}

void GridView::setProgress(const RunProgress& progress) {
    m_grid->setProgress(progress);
    m_minimap->setProgress(progress);
}

void GridView::showWindow() {
    const GridGeometry& view = m_grid->geometryOfCells();
    m_minimap->setWindow(view.firstSlot(), view.area().width() / view.pitch());
    showTrail();
}

void GridView::showTrail() {
    if (m_scene) m_trail->setTrail(trailOf(*m_scene, m_grid->geometryOfCells(), m_selected));
}

// Shows a level of the breadcrumb above the grid: the whole epoch, the rank, the step or the cards around the selected
// sample, or around the first visible sample if none is selected.
void GridView::goTo(CrumbKind kind) {
    if (!m_scene) return;
    const GridGeometry& view = m_grid->geometryOfCells();
    const GridCell cell =
        m_selected.value_or(GridCell{static_cast<int>(view.visibleRanks().first), view.visibleSlots().first});
    if (kind == CrumbKind::Epoch || kind == CrumbKind::Rank) {
        m_grid->fit();
    } else if (kind == CrumbKind::Step) {
        m_grid->showSlots(stepSlots(*m_scene, cell.slot));
    } else {
        const auto cards = static_cast<qint64>(view.area().width() / GridGeometry::kLargestPitch);
        m_grid->showSlots({std::max<qint64>(0, cell.slot - cards / 2), cell.slot - cards / 2 + cards});
    }
    if (kind != CrumbKind::Epoch) m_grid->reveal(cell);
}

void GridView::animateAssignment() {
    if (m_grid->animation().isRunning()) {
        m_grid->animation().stop();
    } else {
        m_grid->animateAssignment(AssignmentAnimation::Speed::Slow);
    }
    nameAnimationButton();
    Q_EMIT explanationChanged();
}

void GridView::nameAnimationButton() {
    const bool running = m_grid->animation().isRunning();
    m_animation->setText(running ? tr("Skip") : tr("Animate assignment"));
    m_animation->setAccessibleName(running ? tr("Skip the animation") : tr("Animate assignment"));
    m_animation->setToolTip(running ? tr("Show the complete assignment. Space shows the next group.")
                                    : tr("Show group by group how the order is assigned to the ranks"));
}

void GridView::resizeEvent(QResizeEvent*) {
    m_header->setDirection(width() < kOneRowHeader ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
    m_lastSlots->setVisible(width() > kMinWidthForLastSlots);
    m_minimap->setLargestHeight(height() >= kLowView ? GridMinimap::kLargestHeight : kLowMinimap);
}

}  // namespace ringside
