// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/compare/epoch_diff_view.h"

#include <QSignalBlocker>
#include <QVBoxLayout>

#include "controls/flow_layout.h"
#include "controls/wrapped_text.h"
#include "sampling/plan/work_limits.h"
#include "shards/compare/comparison_table.h"
#include "shards/compare/diff_sentences.h"
#include "theme/theme.h"
#include "words/field_text.h"

namespace ringside {
namespace {

constexpr int kMaxEpochs = 999'999;

QString swatch(const QColor& color) {
    return QStringLiteral("<span style='color:%1'>\u25a0</span>&nbsp;").arg(color.name());
}

}  // namespace

EpochDiffView::EpochDiffView(Theme& theme, QWidget* parent) : ShardView(parent), m_theme(theme) {
    setObjectName(QStringLiteral("epochDiffView"));
    setProperty("role", "clear");
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(Theme::kSpace2);
    layout->addLayout(makeHead());
    m_grid = new GridWidget(theme);
    m_grid->setObjectName(QStringLiteral("diffGridWidget"));
    m_grid->setAccessibleName(tr("Epoch diff: where each sample was in the other epoch"));
    layout->addWidget(m_grid, 1);
    m_legend = new WrappedText;
    m_legend->setObjectName(QStringLiteral("diffLegendLabel"));
    m_legend->setProperty("role", "note");
    m_legend->setTextFormat(Qt::RichText);
    m_legend->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    layout->addWidget(m_legend);
    showLegend();
    connect(m_grid, &GridWidget::cellClicked, this, [this](GridCell cell) {
        if (m_scene && m_shown == m_scene->plan.spec())
            Q_EMIT cellChosen(cell);  // ignores clicks while the grid shows an older plan than the page
    });
    connect(m_grid, &GridWidget::cellHovered, this, &ShardView::cellHovered);
    connect(&theme, &Theme::changed, this, &EpochDiffView::showLegend);
}

QLayout* EpochDiffView::makeHead() {
    auto* row = new FlowLayout;
    row->setSpacing(Theme::kSpace2);
    m_title = new QLabel;
    m_title->setProperty("role", "muted");
    m_other = new QSpinBox;
    m_other->setObjectName(QStringLiteral("otherEpochSpinBox"));
    m_other->setAccessibleName(tr("The other epoch"));
    m_other->setToolTip(tr("The epoch to compare with"));
    m_other->setRange(1, kMaxEpochs + 1);  // epochs are counted from 1 on screen
    row->addWidget(m_title);
    row->addWidget(m_other);
    connect(m_other, &QSpinBox::valueChanged, this, [this] {
        m_chosen = true;
        startComparison();
    });
    return row;
}

void EpochDiffView::showLegend() {
    m_legend->setText(swatch(m_theme.colors().text) + tr("same rank and step in both epochs") +
                      QStringLiteral("&nbsp;&nbsp;&nbsp; ") + swatch(m_theme.rankColor(0)) +
                      swatch(m_theme.rankColor(1)) + swatch(m_theme.rankColor(2)) + tr("rank in the other epoch") +
                      QStringLiteral("&nbsp;&nbsp;&nbsp; ") + swatch(m_theme.colors().danger) +
                      tr("not used in the other epoch"));
}

void EpochDiffView::setScene(const ShardScene& scene) {
    m_scene.emplace(scene);
    m_title->setText(tr("Where is each sample of epoch %1 in epoch").arg(epochNumber(scene.epoch)));
    if (!m_chosen) {
        const QSignalBlocker blocker(m_other);
        m_other->setValue(scene.epoch > 0 ? scene.epoch : 2);
    }
    startComparison();
}

void EpochDiffView::setSelected(std::optional<qint64>, std::optional<GridCell> cell) {
    m_grid->setSelected(cell);
}

void EpochDiffView::freeMemory() {
    m_work.cancel();
    m_scene.reset();
    m_there.reset();
    m_recent.clear();
    m_grid->clearCache();
}

// Computes for each cell of the shown epoch where its sample was in the other epoch. Callable from any thread.
EpochDiffView::Made EpochDiffView::computeDiff(const ShardScene& scene, const ShardPlan& there,
                                               const LatestWork::Stop& stop) {
    const std::vector<SampleOwner> ours = sampleOwners(scene.plan, &stop);
    const std::vector<SampleOwner> theirs = sampleOwners(there, &stop);
    return {diffPlans(there, theirs, scene.plan, ours),
            std::make_shared<const CellOrigins>(cellOrigins(scene, there, theirs, stop))};
}

void EpochDiffView::startComparison() {
    if (!m_scene) return;
    const std::int64_t other = m_other->value() - 1;
    const Key key{m_scene->plan.spec(), m_scene->specAt(other)};
    m_work.cancel();
    const Made* known = m_recent.find(key);
    const std::optional<ShardPlan> there = m_scene->planCache ? m_scene->planCache->find(key.there) : std::nullopt;
    if (known != nullptr && there) return setMade(*known, *m_scene, *there, other);
    using Answer = std::optional<std::pair<ShardPlan, Made>>;
    const auto make = [scene = *m_scene, key](const LatestWork::Stop& stop) -> Answer {
        const auto plan = scene.planOf(key.there, &stop);
        if (!plan) return {};
        return std::pair(plan.value(), computeDiff(scene, plan.value(), stop));
    };
    const auto show = [this, scene = *m_scene, key, other](const Answer& answer) {
        if (!answer)
            return;  // cannot happen: if the plan of one epoch can be computed, the plan of any other epoch
                     // can too
        m_recent.add(key, answer->second);
        setMade(answer->second, scene, answer->first, other);
    };
    if (key.here.datasetSize <= kInstantSamples) return show(make(LatestWork::Stop(false)));
    m_work.requestLatest(this, make, show);
}

// Shows a finished comparison. Until it is called, the grid shows the plan of the previous epoch.
void EpochDiffView::setMade(const Made& one, const ShardScene& scene, const ShardPlan& there, std::int64_t other) {
    const bool first = !m_shown;
    m_there = there;
    m_shown = scene.plan.spec();
    m_grid->setScene(scene, one.origins);
    if (first) m_grid->fit();
    m_explanation = explainEpochDiff(scene, other, one.diff);
    Q_EMIT explanationChanged();
}

TableData EpochDiffView::table() const {
    if (!m_scene || !m_there) return {};
    return comparisonTable(*m_scene, *m_there,
                           QStringLiteral("diff-epochs-%1-%2").arg(m_scene->epoch).arg(m_other->value() - 1));
}

}  // namespace ringside
