// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/diff_view.h"

#include <QHBoxLayout>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include "shards/cell_colors.h"
#include "shards/diff_sentences.h"
#include "theme/theme.h"

namespace ringside {
namespace {

constexpr int kMostEpochs = 999'999;
constexpr double kPale = 0.35;

DiffColors colorsOf(const Theme& theme, int ranks) {
    DiffColors colors{theme.colors().text.rgb(), theme.colors().danger.rgb(), {}};
    for (int rank = 0; rank < ranks; ++rank) {
        colors.ranks.push_back(mixed(theme.rankColor(rank), theme.colors().panel, kPale).rgb());
    }
    return colors;
}

}  // namespace

DiffView::DiffView(Theme& theme, QWidget* parent) : ShardView(parent), m_theme(theme) {
    setObjectName(QStringLiteral("diffView"));
    setProperty("role", "clear");
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(Theme::kSpace2);
    auto* row = new QHBoxLayout;
    m_title = new QLabel;
    m_title->setProperty("role", "muted");
    m_other = new QSpinBox;
    m_other->setObjectName(QStringLiteral("otherEpochSpinBox"));
    m_other->setAccessibleName(tr("The other epoch"));
    m_other->setToolTip(tr("The epoch to compare with"));
    m_other->setRange(0, kMostEpochs);
    row->addWidget(m_title);
    row->addWidget(m_other);
    row->addStretch(1);
    layout->addLayout(row);
    m_canvas = new DiffCanvas(theme);
    layout->addWidget(m_canvas, 1);
    connect(m_other, &QSpinBox::valueChanged, this, [this] {
        m_chosen = true;
        compare();
    });
    connect(m_canvas, &DiffCanvas::cellClicked, this, &ShardView::cellChosen);
    connect(m_canvas, &DiffCanvas::cellHovered, this, &ShardView::cellHovered);
    connect(m_canvas, &DiffCanvas::resized, this, &DiffView::compare);
    connect(&theme, &Theme::changed, this, &DiffView::compare);
}

void DiffView::setScene(const ShardScene& scene) {
    m_scene.emplace(scene);
    m_canvas->setScene(scene);
    m_title->setText(tr("Where was each sample of epoch %1 in epoch").arg(scene.epoch));
    if (!m_chosen) {
        const QSignalBlocker blocker(m_other);
        m_other->setValue(scene.epoch > 0 ? scene.epoch - 1 : 1);
    }
    compare();
}

void DiffView::setSelected(std::optional<qint64>, std::optional<LoomCell> cell) {
    m_canvas->setSelected(cell);
}

// On a worker thread.
DiffView::Made DiffView::made(const ShardScene& scene, const Key& key, const LatestWork::Stop& stop) {
    const auto there = scene.planOf(key.there);
    if (!there) return {};
    const std::vector<SampleOwner> ours = sampleOwners(scene.plan, &stop);
    const std::vector<SampleOwner> theirs = sampleOwners(there.value(), &stop);
    return {there.value(), diffPlans(there.value(), theirs, scene.plan, ours),
            diffImage(scene.plan, there.value(), theirs, key.width, key.colors, stop)};
}

void DiffView::compare() {
    if (!m_scene) return;
    const std::int64_t other = m_other->value();
    const int width = static_cast<int>(m_canvas->cellsArea().width() * devicePixelRatioF());
    const Key key{m_scene->plan.spec(), m_scene->specAt(other), width, colorsOf(m_theme, m_scene->ranks())};
    m_work.cancel();
    if (const Made* known = m_recent.find(key)) return take(*known, other);
    m_work.want(
        this, [scene = *m_scene, key](const LatestWork::Stop& stop) { return made(scene, key, stop); },
        [this, key, other](const Made& one) {
            m_recent.add(key, one);
            take(one, other);
        });
}

void DiffView::take(const Made& made, std::int64_t other) {
    m_there = made.plan;
    m_canvas->setImage(made.image);
    m_explanation = explainEpochDiff(*m_scene, other, made.diff);
    Q_EMIT explanationChanged();
}

ShardTable DiffView::table() const {
    if (!m_scene || !m_there) return {};
    return comparisonTable(*m_scene, *m_there,
                           QStringLiteral("diff-epochs-%1-%2").arg(m_scene->epoch).arg(m_other->value()));
}

}  // namespace ringside
