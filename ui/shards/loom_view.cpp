// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/loom_view.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

#include "theme/theme.h"

namespace ringside {
namespace {

constexpr int kLeastWidthForTail = 586;

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
    auto* layout = new QHBoxLayout(header);
    layout->setContentsMargins(0, 0, 0, 0);
    m_subtitle = new QLabel;
    m_subtitle->setProperty("role", "muted");
    m_subtitle->setObjectName(QStringLiteral("loomSubtitleLabel"));
    m_subtitle->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    layout->addWidget(m_subtitle, 1);
    m_colorBy = new SegmentedControl({
        {tr("Rank"), tr("Colour by the rank that trains the sample; every second step is paler"),
         QStringLiteral("colorByRankButton")},
        {tr("Class"), tr("Colour by the sample's class"), QStringLiteral("colorByClassButton")},
        {tr("Batch"), tr("Colour by step: ten colours in turns"), QStringLiteral("colorByBatchButton")},
        {tr("Source"), tr("Colour by place in the data set, first to last"), QStringLiteral("colorBySourceButton")},
    });
    layout->addWidget(m_colorBy);
    return header;
}

void LoomView::connectParts() {
    connect(m_loom, &LoomWidget::viewChanged, this, &LoomView::showWindow);
    connect(m_loom, &LoomWidget::cellClicked, this, &ShardView::cellChosen);
    connect(m_loom, &LoomWidget::cellHovered, this, &ShardView::cellHovered);
    connect(m_tail, &TailPanel::cellClicked, this, &ShardView::cellChosen);
    connect(m_minimap, &LoomMinimap::windowMoved, m_loom, &LoomWidget::setFirstSlot);
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
                                classes ? tr("Colour by the sample's class") : tr("This data set has no classes"));
    m_subtitle->setText(tr("Whole epoch %1: which rank trains which sample, in order").arg(scene.epoch));
    m_loom->setScene(scene);
    m_minimap->setScene(scene);
    m_tail->setScene(scene);
}

void LoomView::setSelected(std::optional<qint64>, std::optional<LoomCell> cell) {
    m_loom->setSelected(cell);
    m_tail->setSelected(cell);
}

void LoomView::showWindow() {
    const LoomGeometry& view = m_loom->geometryOfCells();
    m_minimap->setWindow(view.firstSlot(), view.area().width() / view.pitch());
}

void LoomView::resizeEvent(QResizeEvent*) {
    m_tail->setVisible(width() > kLeastWidthForTail);
}

}  // namespace ringside
