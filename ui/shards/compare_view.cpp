// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/compare_view.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>
#include <limits>

#include "shards/diff_sentences.h"
#include "theme/theme.h"

namespace ringside {
namespace {

constexpr int kLargestNumber = std::numeric_limits<int>::max();

QLabel* noted(const QString& text, const char* role) {
    auto* label = new QLabel(text);
    label->setProperty("role", role);
    return label;
}

int bounded(std::int64_t value) {
    return static_cast<int>(std::clamp<std::int64_t>(value, -kLargestNumber, kLargestNumber));
}

}  // namespace

CompareView::CompareView(Theme& theme, QWidget* parent) : ShardView(parent), m_theme(theme) {
    setObjectName(QStringLiteral("compareView"));
    setProperty("role", "clear");
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(Theme::kSpace1);
    m_a = new LoomWidget(theme);
    m_b = new LoomWidget(theme);
    m_a->setObjectName(QStringLiteral("loomAWidget"));
    m_b->setObjectName(QStringLiteral("loomBWidget"));
    for (LoomWidget* loom : {m_a, m_b}) loom->setMinimumHeight(60);
    layout->addWidget(noted(tr("A: the experiment"), "number"));
    layout->addWidget(m_a, 1);
    layout->addWidget(makeForm());
    layout->addWidget(m_b, 1);
    connect(m_a, &LoomWidget::viewChanged, this, [this] { m_b->lookLike(*m_a); });
    connect(m_b, &LoomWidget::viewChanged, this, [this] { m_a->lookLike(*m_b); });
    connect(m_a, &LoomWidget::cellClicked, this, &ShardView::cellChosen);
    connect(m_a, &LoomWidget::cellHovered, this, &ShardView::cellHovered);
}

QWidget* CompareView::makeForm() {
    auto* form = new QWidget;
    form->setProperty("role", "clear");
    auto* layout = new QHBoxLayout(form);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(Theme::kSpace1);
    layout->addWidget(noted(tr("B"), "number"));
    m_worldSize = addNumber(*layout, tr("ranks"), "compareWorldSizeSpinBox", 1, kMaxWorldSize);
    m_batchSize = addNumber(*layout, tr("batch"), "compareBatchSizeSpinBox", 1, kLargestNumber);
    m_seed = addNumber(*layout, tr("seed"), "compareSeedSpinBox", -kLargestNumber, kLargestNumber);
    m_shuffle = addSwitch(*layout, tr("shuffle"), "compareShuffleCheckBox");
    m_dropLast = addSwitch(*layout, tr("drop_last"), "compareDropLastCheckBox");
    m_dropLast->setToolTip(tr("drop_last of B's sampler"));
    m_loaderDropLast = addSwitch(*layout, tr("(loader)"), "compareLoaderDropLastCheckBox");
    m_loaderDropLast->setToolTip(tr("drop_last of B's loader"));
    layout->addStretch(1);
    return form;
}

QSpinBox* CompareView::addNumber(QLayout& layout, const QString& label, const char* name, int least, int most) {
    auto* box = new QSpinBox;
    box->setObjectName(QLatin1String(name));
    box->setAccessibleName(tr("B: %1").arg(label));
    box->setToolTip(tr("B: %1").arg(label));
    box->setRange(least, most);
    box->setFixedWidth(68);
    layout.addWidget(noted(label, "muted"));
    layout.addWidget(box);
    connect(box, &QSpinBox::valueChanged, this, &CompareView::takeForm);
    return box;
}

QCheckBox* CompareView::addSwitch(QLayout& layout, const QString& label, const char* name) {
    auto* box = new QCheckBox(label);
    box->setObjectName(QLatin1String(name));
    box->setToolTip(tr("B: %1").arg(label));
    layout.addWidget(box);
    connect(box, &QCheckBox::toggled, this, &CompareView::takeForm);
    return box;
}

void CompareView::takeForm() {
    if (m_following) return;
    m_touched = true;
    compare();
}

// Until a field is changed B is A with the other choice of the sampler's drop_last: padding against dropping.
void CompareView::follow() {
    if (m_touched) return;
    m_following = true;
    const ShardSpec& spec = m_scene->plan.spec();
    m_worldSize->setValue(bounded(spec.worldSize));
    m_batchSize->setValue(bounded(spec.batchSize));
    m_seed->setValue(bounded(spec.seed));
    m_shuffle->setChecked(spec.shuffle);
    m_dropLast->setChecked(!spec.dropLast);
    m_loaderDropLast->setChecked(spec.loaderDropLast);
    m_following = false;
}

ShardSpec CompareView::specOfB() const {
    ShardSpec spec = m_scene->plan.spec();
    spec.worldSize = m_worldSize->value();
    spec.batchSize = m_batchSize->value();
    if (bounded(spec.seed) != m_seed->value()) spec.seed = m_seed->value();
    spec.shuffle = m_shuffle->isChecked();
    spec.dropLast = m_dropLast->isChecked();
    spec.loaderDropLast = m_loaderDropLast->isChecked();
    return spec;
}

void CompareView::setScene(const ShardScene& scene) {
    const bool first = !m_scene;
    m_scene.emplace(scene);
    m_a->setScene(scene);
    if (first) m_a->fit();
    follow();
    compare();
}

void CompareView::setSelected(std::optional<qint64> sample, std::optional<LoomCell> cell) {
    m_selected = sample;
    m_a->setSelected(cell);
    selectInB();
}

void CompareView::selectInB() {
    std::optional<LoomCell> there;
    if (m_selected && m_planOfB) {
        const std::vector<SamplePlace> places = m_planOfB->places(*m_selected);
        const auto place = places.empty() ? droppedPlace(*m_planOfB, *m_selected) : std::optional(places.front());
        if (place) there = LoomCell{place->rank, place->slot};
    }
    m_b->setSelected(there);
}

void CompareView::compare() {
    if (!m_scene) return;
    const auto make = [scene = *m_scene, spec = specOfB()](const LatestWork::Stop& stop) {
        const auto b = scene.planOf(spec);
        return b ? Made{b.value(), diffPlans(scene.plan, b.value(), &stop)} : Made{};
    };
    if (m_scene->plan.spec().datasetSize > kInstantSamples) {
        m_work.want(this, make, [this](const Made& made) { take(made); });
        return;
    }
    m_work.cancel();
    take(make(LatestWork::Stop(false)));
}

void CompareView::take(const Made& made) {
    m_planOfB = made.plan;
    if (!made.plan) return;
    ShardScene scene = *m_scene;
    scene.plan = *made.plan;
    m_b->setScene(scene);
    m_a->setOther(made.plan);
    m_b->setOther(m_scene->plan);
    m_b->lookLike(*m_a);
    selectInB();
    m_explanation = explainSettingsDiff(m_scene->plan, *made.plan, made.diff);
    Q_EMIT explanationChanged();
}

}  // namespace ringside
