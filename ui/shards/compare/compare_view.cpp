// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/compare/compare_view.h"

#include <QLocale>
#include <QVBoxLayout>

#include "controls/flow_layout.h"
#include "sampling/plan/work_limits.h"
#include "shards/compare/diff_sentences.h"
#include "theme/theme.h"

namespace ringside {
namespace {

constexpr int kMinGridHeight = 60;

// Returns the number of cells with differences as text: "312 of 1,440 cells differ, 8 visible". The numbers are exact
// at every zoom.
QString countText(const CellDifferences& differences, const GridGeometry& view) {
    const CellRange ranks = view.visibleRanks(), seen = view.visibleSlots();
    qint64 inSight = 0;
    for (qint64 rank = ranks.first; rank < ranks.last; ++rank) {
        inSight += differences.count(static_cast<int>(rank), seen);
    }
    const QLocale locale;
    return CompareView::tr("%1 of %2 cells differ, %3 visible")
        .arg(locale.toString(differences.count()), locale.toString(differences.cells()), locale.toString(inSight));
}

}  // namespace

CompareView::CompareView(Theme& theme, QWidget* parent) : ShardView(parent) {
    setObjectName(QStringLiteral("compareView"));
    setProperty("role", "clear");
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(Theme::kSpace1);
    m_a = new GridWidget(theme);
    m_b = new GridWidget(theme);
    m_a->setObjectName(QStringLiteral("gridAWidget"));
    m_b->setObjectName(QStringLiteral("gridBWidget"));
    for (GridWidget* grid : {m_a, m_b}) grid->setMinimumHeight(kMinGridHeight);
    m_form = new SpecForm;
    layout->addWidget(makeHeadOfA());
    layout->addWidget(m_a, 1);
    layout->addWidget(m_form);
    layout->addWidget(m_b, 1);
    connect(m_a, &GridWidget::viewChanged, this, [this] {
        m_b->copyView(*m_a);
        showCounts();
    });
    connect(m_b, &GridWidget::viewChanged, this, [this] {
        if (!m_planOfB) return;  // without a plan, grid B has no zoom or position that A could take over
        m_a->copyView(*m_b);
        showCounts();
    });
    connect(m_a, &GridWidget::cellClicked, this, &ShardView::cellChosen);
    connect(m_a, &GridWidget::cellHovered, this, &ShardView::cellHovered);
    connect(m_b, &GridWidget::cellClicked, this, &CompareView::chooseInB);
    connect(m_form, &SpecForm::changed, this, [this] {
        m_touched = true;
        startComparison();
    });
    connect(m_form, &SpecForm::resetRequested, this, [this] {
        m_touched = false;
        copySettingsOfA();
        startComparison();
    });
}

QWidget* CompareView::makeHeadOfA() {
    auto* head = new QWidget;
    head->setProperty("role", "clear");
    auto* row = new FlowLayout(head);  // moves the number of differences below the sampler if the page is narrow
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(Theme::kSpace1);
    auto* name = new QLabel(tr("A"));
    name->setProperty("role", "number");
    m_samplerOfA = makeSamplerChoice(tr("A: sampler"));
    m_samplerOfA->setObjectName(QStringLiteral("compareSamplerOfAComboBox"));
    m_samplerOfA->setToolTip(tr("Sampler of A, the experiment in the form"));
    auto* what = new QLabel(tr("the experiment"));
    what->setProperty("role", "muted");
    m_countOfA = new QLabel;
    m_countOfA->setObjectName(QStringLiteral("compareCountLabel"));
    m_countOfA->setProperty("role", "note");
    m_countOfA->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_countOfA->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    row->addWidget(name);
    row->addWidget(m_samplerOfA);
    row->addWidget(what);
    row->addWidget(m_countOfA);
    connect(m_samplerOfA, &QComboBox::activated, this,
            [this] { Q_EMIT samplerChosen(m_samplerOfA->currentData().toString()); });
    return head;
}

// Gives B the settings of A with drop_last of the sampler inverted, to compare padding with dropping. Does nothing
// after the user has changed a setting of B.
void CompareView::copySettingsOfA() {
    if (m_touched || !m_scene) return;
    ShardSpec spec = m_scene->plan.spec();
    spec.dropLast = !spec.dropLast;
    m_form->setSpec(spec, m_scene->setEpoch);
}

ShardSpec CompareView::specOfB() const {
    ShardSpec spec = m_form->spec(m_scene->plan.spec(), m_scene->epoch);
    spec.data = needsClasses(spec.kind) ? m_scene->data : nullptr;
    return spec;
}

void CompareView::setScene(const ShardScene& scene) {
    const bool first = !m_scene;
    m_scene.emplace(scene);
    m_samplerOfA->setCurrentIndex(static_cast<int>(scene.plan.spec().kind));
    m_a->setDifferences({});
    m_a->setScene(scene);
    if (first) m_a->fit();
    copySettingsOfA();
    startComparison();
}

void CompareView::setSelected(std::optional<qint64> sample, std::optional<GridCell> cell) {
    m_selected = sample;
    m_a->setSelected(cell);
    selectInB();
}

void CompareView::selectInB() {
    std::optional<GridCell> there;
    if (m_selected && m_planOfB) {
        const std::vector<SampleSlot> uses = m_planOfB->usesOf(*m_selected);
        const auto place = uses.empty() ? droppedPlace(*m_planOfB, *m_selected) : std::optional(uses.front());
        if (place) there = GridCell{place->rank, place->slot};
    }
    m_b->setSelected(there);
}

// Handles a click on a cell of grid B: selects the position that the sample of the cell has in the plan of A.
void CompareView::chooseInB(GridCell cell) {
    if (!m_planOfB || !m_scene) return;
    const std::int64_t sample = cellContent(*m_planOfB, cell.rank, cell.slot).sample;
    const std::vector<SampleSlot> uses = m_scene->plan.usesOf(sample);
    const auto place = uses.empty() ? droppedPlace(m_scene->plan, sample) : std::optional(uses.front());
    if (place) Q_EMIT cellChosen({place->rank, place->slot});
}

// Computes the assignment with the settings of B and its differences from that of A. Callable from any thread.
CompareView::Made CompareView::computeComparison(const ShardScene& scene, const ShardSpec& spec,
                                                 const LatestWork::Stop& stop) {
    const auto b = scene.planOf(spec, &stop);
    if (!b) return {{}, b.problem().text(), {}, {}, {}};
    ShardScene other = scene;
    other.plan = b.value();
    return {b.value(),
            {},
            diffPlans(scene.plan, b.value(), &stop),
            std::make_shared<CellDifferences>(scene, b.value(), stop),
            std::make_shared<CellDifferences>(other, scene.plan, stop)};
}

void CompareView::startComparison() {
    if (!m_scene) return;
    const ShardSpec spec = specOfB();
    const Key key{m_scene->plan.spec(), spec};
    m_work.cancel();
    if (const Made* known = m_recent.find(key)) return setMade(*known);
    if (key.a.datasetSize <= kInstantSamples)
        return setMade(computeComparison(*m_scene, spec, LatestWork::Stop(false)));
    m_work.requestLatest(
        this, [scene = *m_scene, spec](const LatestWork::Stop& stop) { return computeComparison(scene, spec, stop); },
        [this, key](const Made& one) {
            m_recent.add(key, one);
            setMade(one);
        });
}

void CompareView::setMade(const Made& one) {
    m_planOfB = one.plan;
    m_ofA = one.ofA;
    m_ofB = one.ofB;
    m_a->setDifferences(m_ofA);
    m_b->setDifferences(m_ofB);
    if (one.plan) {
        ShardScene scene = *m_scene;
        scene.plan = *one.plan;
        {
            const QSignalBlocker blocker(m_b);  // grid B must not emit a change of its view, because it takes over the
                                                // view of A
            m_b->setScene(scene);
        }
        m_b->copyView(*m_a);
        m_explanation = explainSettingsDiff(m_scene->plan, *one.plan, one.diff);
    } else {
        m_b->setScene({});
        m_explanation =
            Explanation{tr("There is no plan for the settings of B"), {QString::fromStdString(one.problem)}, true};
    }
    selectInB();
    showCounts();
    Q_EMIT explanationChanged();
}

void CompareView::showCounts() {
    if (!m_ofA || !m_ofB) {
        m_countOfA->clear();
        const QString problem = m_explanation && !m_planOfB ? m_explanation->lines.join(QLatin1Char(' ')) : QString();
        m_form->setSummary(problem, !problem.isEmpty());
        return;
    }
    m_countOfA->setText(countText(*m_ofA, m_a->geometryOfCells()));
    m_form->setSummary(countText(*m_ofB, m_b->geometryOfCells()), false);
}

}  // namespace ringside
