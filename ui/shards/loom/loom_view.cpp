// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/loom/loom_view.h"

#include <QHBoxLayout>
#include <QVBoxLayout>
#include <algorithm>

#include "theme/theme.h"
#include "theme/type_length.h"

namespace ringside {
namespace {

constexpr TypePixels kOneRowHeader{500};
constexpr int kLeastWidthForTail = 586;
constexpr int kLowView = 340, kLowMinimap = 28;

}  // namespace

LoomView::LoomView(Theme& theme, QWidget* parent) : ShardView(parent) {
    setObjectName(QStringLiteral("loomView"));
    setProperty("role", "clear");
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(Theme::kSpace2);
    layout->addWidget(makeHeader());
    m_minimap = new LoomMinimap(theme);
    layout->addWidget(m_minimap);
    auto* row = new QHBoxLayout;
    row->setSpacing(Theme::kSpace3);
    m_loom = new LoomWidget(theme);
    m_tail = new TailPanel(theme);
    row->addWidget(m_loom, 1);
    row->addWidget(m_tail);
    layout->addLayout(row, 1);
    connectParts();
}

QWidget* LoomView::makeHeader() {
    auto* header = new QWidget;
    header->setProperty("role", "clear");
    m_header = new QBoxLayout(QBoxLayout::LeftToRight, header);
    m_header->setContentsMargins(0, 0, 0, 0);
    auto* layout = new QHBoxLayout;
    m_trail = new Breadcrumb;
    m_trail->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_header->addWidget(m_trail, 1);
    m_header->addLayout(layout);
    m_deal = new QPushButton;
    m_deal->setObjectName(QStringLiteral("dealButton"));
    m_deal->setProperty("role", "segment");
    layout->addWidget(m_deal);
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

void LoomView::connectParts() {
    connect(m_loom, &LoomWidget::viewChanged, this, &LoomView::showWindow);
    connect(m_loom, &LoomWidget::cellClicked, this, &ShardView::cellChosen);
    connect(m_loom, &LoomWidget::cellHovered, this, &ShardView::cellHovered);
    connect(m_tail, &TailPanel::cellClicked, this, &ShardView::cellChosen);
    connect(m_tail, &TailPanel::cellHovered, this, &ShardView::cellHovered);
    connect(m_minimap, &LoomMinimap::windowMoved, m_loom, &LoomWidget::setFirstSlot);
    connect(m_trail, &Breadcrumb::chosen, this, &LoomView::goTo);
    connect(m_deal, &QPushButton::clicked, this, &LoomView::deal);
    connect(m_loom, &LoomWidget::dealWentOn, this, &ShardView::explanationChanged);
    connect(m_loom, &LoomWidget::dealEnded, this, &LoomView::nameDealButton);
    connect(m_loom, &LoomWidget::dealEnded, this, &ShardView::explanationChanged);
    nameDealButton();
    connect(m_colorBy, &SegmentedControl::chosen, this, [this](int index) {
        const auto by = static_cast<ColorBy>(index);
        m_loom->setColorBy(by);
        m_minimap->setColorBy(by);
        m_tail->setColorBy(by);
    });
}

void LoomView::setScene(const ShardScene& scene) {
    m_scene.emplace(scene);
    const bool classes = scene.data && scene.data->classCount() > 0;
    m_colorBy->setChoiceEnabled(static_cast<int>(ColorBy::Class), classes,
                                classes ? tr("Colour by class") : tr("This data set has no classes"));
    m_loom->setScene(scene);
    m_minimap->setScene(scene);
    m_tail->setScene(scene);
    showTrail();
}

void LoomView::setSelected(std::optional<qint64>, std::optional<LoomCell> cell) {
    m_loom->setSelected(cell);
    m_tail->setSelected(cell);
    m_selected = cell;
    showTrail();
}

void LoomView::setProgress(const RunProgress& progress) {
    m_loom->setProgress(progress);
    m_minimap->setProgress(progress);
}

void LoomView::showWindow() {
    const LoomGeometry& view = m_loom->geometryOfCells();
    m_minimap->setWindow(view.firstSlot(), view.area().width() / view.pitch());
    showTrail();
}

void LoomView::showTrail() {
    if (m_scene) m_trail->setTrail(trailOf(*m_scene, m_loom->geometryOfCells(), m_selected));
}

// Goes back to a level of the trail of the selected sample or of the visible part.
void LoomView::goTo(CrumbKind kind) {
    if (!m_scene) return;
    const LoomGeometry& view = m_loom->geometryOfCells();
    const LoomCell cell =
        m_selected.value_or(LoomCell{static_cast<int>(view.visibleRanks().first), view.visibleSlots().first});
    if (kind == CrumbKind::Epoch || kind == CrumbKind::Rank) {
        m_loom->fit();
    } else if (kind == CrumbKind::Step) {
        m_loom->showSlots(stepSlots(*m_scene, cell.slot));
    } else {
        const auto cards = static_cast<qint64>(view.area().width() / LoomGeometry::kLargestPitch);
        m_loom->showSlots({std::max<qint64>(0, cell.slot - cards / 2), cell.slot - cards / 2 + cards});
    }
    if (kind != CrumbKind::Epoch) m_loom->reveal(cell);
}

void LoomView::deal() {
    if (m_loom->dealing().isRunning()) {
        m_loom->stopDeal();
    } else {
        m_loom->deal(Deal::Pace::Slow);
    }
    nameDealButton();
    Q_EMIT explanationChanged();
}

void LoomView::nameDealButton() {
    const bool running = m_loom->dealing().isRunning();
    m_deal->setText(running ? tr("Skip") : tr("Animate assignment"));
    m_deal->setAccessibleName(running ? tr("Skip the animation") : tr("Animate assignment"));
    m_deal->setToolTip(running ? tr("Show the complete assignment. Space shows the next group.")
                               : tr("Show group by group how the order is assigned to the ranks"));
}

void LoomView::resizeEvent(QResizeEvent*) {
    m_header->setDirection(width() < kOneRowHeader ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
    m_tail->setVisible(width() > kLeastWidthForTail);
    m_minimap->setLargestHeight(height() >= kLowView ? LoomMinimap::kLargestHeight : kLowMinimap);
}

}  // namespace ringside
