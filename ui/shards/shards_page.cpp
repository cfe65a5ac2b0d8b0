// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/shards_page.h"

#include <QCursor>
#include <QHBoxLayout>
#include <QScrollArea>
#include <QToolTip>
#include <QVBoxLayout>

#include "models/experiment_model.h"
#include "models/plan_model.h"
#include "models/run_model.h"
#include "theme/theme.h"

namespace ringside {
namespace {

constexpr int kLedgerWidth = 292;
constexpr int kLeastWidthForTail = 620;  // of the loom's panel
constexpr qint64 kInstantSamples = 20'000;

QLabel* labelled(const QString& text, const char* role) {
    auto* label = new QLabel(text);
    label->setProperty("role", role);
    return label;
}

}  // namespace

ShardsPage::ShardsPage(ExperimentModel& experiment, PlanModel& plan, const RunModel& run, Theme& theme, QWidget* parent)
    : QWidget(parent), m_experiment(experiment), m_plan(plan), m_theme(theme), m_verification(run) {
    setObjectName(QStringLiteral("shardsPage"));
    m_pool.setMaxThreadCount(1);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(Theme::kSpace3);
    auto* centre = new QWidget;
    m_stack = new QStackedLayout(centre);
    m_stack->addWidget(makeLoomPanel());
    m_stack->addWidget(makeEmptyPanel());
    layout->addWidget(centre, 1);
    m_ledger = new LedgerPanel(theme);
    m_balance = new ClassBalanceView(theme);
    m_ledger->extraLayout().addWidget(m_balance);
    auto* scroll = new QScrollArea;
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setFixedWidth(kLedgerWidth);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setWidget(m_ledger);
    layout->addWidget(scroll);
    connectViews();
    showPlan();
    showVerification();
}

ShardsPage::~ShardsPage() {
    m_pool.clear();
    m_pool.waitForDone();
}

QWidget* ShardsPage::makeLoomPanel() {
    auto* panel = new QFrame;
    panel->setProperty("role", "panel");
    auto* layout = new QVBoxLayout(panel);
    layout->setContentsMargins(Theme::kSpace4, Theme::kSpace3, Theme::kSpace4, Theme::kSpace4);
    layout->setSpacing(Theme::kSpace2);
    layout->addWidget(makeLoomHeader());
    layout->addWidget(labelled(tr("Whole epoch"), "note"));
    m_minimap = new LoomMinimap(m_theme);
    layout->addWidget(m_minimap);
    auto* row = new QHBoxLayout;
    row->setSpacing(Theme::kSpace3);
    m_loom = new LoomWidget(m_theme);
    m_tail = new TailPanel(m_theme);
    row->addWidget(m_loom, 1);
    row->addWidget(m_tail);
    layout->addLayout(row, 1);
    m_explanation = new ExplanationBox;
    layout->addSpacing(Theme::kSpace1);
    layout->addWidget(m_explanation);
    return panel;
}

QWidget* ShardsPage::makeLoomHeader() {
    auto* header = new QWidget;
    header->setProperty("role", "clear");
    auto* layout = new QHBoxLayout(header);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(labelled(tr("Loom"), "title"));
    m_subtitle = labelled({}, "muted");
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

QWidget* ShardsPage::makeEmptyPanel() {
    auto* panel = new QFrame;
    panel->setProperty("role", "panel");
    auto* layout = new QVBoxLayout(panel);
    layout->setContentsMargins(Theme::kSpace5 * 2, Theme::kSpace5, Theme::kSpace5 * 2, Theme::kSpace5);
    layout->setSpacing(Theme::kSpace2);
    m_emptyTitle = labelled({}, "title");
    m_emptyTitle->setObjectName(QStringLiteral("shardsEmptyTitleLabel"));
    m_emptyTitle->setAlignment(Qt::AlignCenter);
    m_emptyText = labelled({}, "muted");
    m_emptyText->setObjectName(QStringLiteral("shardsEmptyLabel"));
    m_emptyText->setAlignment(Qt::AlignCenter);
    m_emptyText->setWordWrap(true);
    layout->addStretch(1);
    layout->addWidget(m_emptyTitle);
    layout->addWidget(m_emptyText);
    layout->addStretch(1);
    return panel;
}

void ShardsPage::connectViews() {
    connect(&m_plan, &PlanModel::planChanged, this, &ShardsPage::showPlan);
    connect(&m_plan, &PlanModel::selectionChanged, this, &ShardsPage::showSelection);
    connect(&m_coverage, &CoverageCount::resultChanged, this, &ShardsPage::showLedger);
    connect(&m_verification, &Verification::changed, this, &ShardsPage::showVerification);
    connect(m_loom, &LoomWidget::viewChanged, this, &ShardsPage::showWindow);
    connect(m_loom, &LoomWidget::cellClicked, this, &ShardsPage::select);
    connect(m_loom, &LoomWidget::cellHovered, this, &ShardsPage::hover);
    connect(m_tail, &TailPanel::cellClicked, this, &ShardsPage::select);
    connect(m_minimap, &LoomMinimap::windowMoved, m_loom, &LoomWidget::setFirstSlot);
    connect(m_colorBy, &SegmentedControl::chosen, this, [this](int index) {
        const auto by = static_cast<ColorBy>(index);
        m_loom->setColorBy(by);
        m_minimap->setColorBy(by);
        m_tail->setColorBy(by);
    });
}

void ShardsPage::showPlan() {
    const ShardPlan* plan = m_plan.plan();
    const DataSplit* split = m_experiment.data();
    if (plan == nullptr || split == nullptr) {
        m_scene.reset();
        showEmpty();
        return;
    }
    if (m_labelsOf != split->training) {
        m_labelsOf = split->training;
        m_labels.reset();
        readLabelsLater();
    }
    m_scene.emplace(
        ShardScene{*plan, m_plan.epoch(), m_experiment.config().sampler.setEpoch, split->training, m_labels});
    const bool classes = split->training->classCount() > 0;
    m_colorBy->setChoiceEnabled(static_cast<int>(ColorBy::Class), classes,
                                classes ? tr("Colour by the sample's class") : tr("This data set has no classes"));
    m_subtitle->setText(tr("epoch %1: which rank trains which sample, in order").arg(m_plan.epoch()));
    m_loom->setScene(m_scene);
    m_minimap->setScene(m_scene);
    m_tail->setScene(m_scene);
    m_balance->setScene(m_scene);
    m_coverage.want(m_experiment.config(), plan->spec().datasetSize);
    makeOrderHashLater();
    showLedger();
    showSelection();
    if (plan->samplesPerRank() == 0) {
        showEmpty();
    } else {
        m_stack->setCurrentIndex(0);
    }
}

void ShardsPage::showEmpty() {
    if (m_scene) {
        const Explanation why = explainEmptyShard(*m_scene);
        m_emptyTitle->setText(why.title);
        m_emptyText->setText(why.lines.join(QLatin1Char('\n')));
    } else if (m_plan.problem().isEmpty()) {
        m_emptyTitle->setText(tr("Loading the data set"));
        m_emptyText->setText(tr("The shards appear as soon as the number of samples is known."));
    } else {
        m_emptyTitle->setText(tr("There is no plan for this experiment"));
        m_emptyText->setText(m_plan.problem());
    }
    if (!m_scene) {
        m_ledger->setRows({});
        m_ledger->setOrderHash({});
        m_balance->setScene({});
    }
    m_stack->setCurrentIndex(1);
}

std::optional<LoomCell> ShardsPage::selectedCell() const {
    if (!m_scene || !m_plan.selectedSample()) {
        return {};
    }
    std::optional<SamplePlace> place = m_plan.selectedPlace();
    if (!place) {
        place = droppedPlace(m_scene->plan, *m_plan.selectedSample());
    }
    return place ? std::optional(LoomCell{place->rank, place->slot}) : std::nullopt;
}

void ShardsPage::showSelection() {
    if (!m_scene) {
        return;
    }
    const auto cell = selectedCell();
    m_loom->setSelected(cell);
    m_tail->setSelected(cell);
    m_explanation->show(cell ? explain(*m_scene, *cell) : explainNothing(*m_scene));
}

void ShardsPage::select(LoomCell cell) {
    const CellContent content = cellContent(m_scene->plan, cell.rank, cell.slot);
    if (selectedCell() == cell) {
        m_plan.select({});
        return;
    }
    std::optional<SamplePlace> place;
    if (content.kind != CellKind::DroppedBySampler) {
        place = SamplePlace{cell.rank, cell.slot, content.step, content.position, content.kind == CellKind::Duplicate};
    }
    m_plan.select(content.sample, place);
}

void ShardsPage::hover(std::optional<LoomCell> cell) {
    if (!cell || !m_scene) {
        QToolTip::hideText();
        showSelection();
        return;
    }
    QToolTip::showText(QCursor::pos() + QPoint(12, 12), cellTip(*m_scene, *cell), m_loom);
    if (!selectedCell()) {
        m_explanation->show(explain(*m_scene, *cell));
    }
}

void ShardsPage::showWindow() {
    const LoomGeometry& view = m_loom->geometryOfCells();
    m_minimap->setWindow(view.firstSlot(), view.area().width() / view.pitch());
}

void ShardsPage::showLedger() {
    if (m_scene) {
        m_ledger->setRows(ledgerRows(m_scene->plan, m_coverage.result(), m_experiment.config().training.epochs));
    }
}

void ShardsPage::showVerification() {
    const VerificationState& state = m_verification.state();
    const Tone tone = !state.mismatches.empty() ? Tone::Danger : state.verifiedEpochs > 0 ? Tone::Good : Tone::Normal;
    m_ledger->setVerification(m_verification.sentence(), tone);
}

void ShardsPage::readLabelsLater() {
    if (m_labelsOf->size() <= kInstantSamples) {
        m_labels = readLabels(*m_labelsOf);
        return;
    }
    m_pool.start([this, dataset = m_labelsOf] {
        const Labels labels = readLabels(*dataset);
        QMetaObject::invokeMethod(
            this,
            [this, dataset, labels] {
                if (dataset == m_labelsOf) {
                    m_labels = labels;
                    showPlan();
                }
            },
            Qt::QueuedConnection);
    });
}

void ShardsPage::makeOrderHashLater() {
    if (m_hashOf == m_scene->plan.spec()) {
        return;
    }
    m_hashOf = m_scene->plan.spec();
    if (m_hashOf.datasetSize <= kInstantSamples) {
        m_ledger->setOrderHash(orderHash(m_scene->plan));
        return;
    }
    m_ledger->setOrderHash(tr("being computed"));
    m_pool.start([this, plan = m_scene->plan] {
        const QString hash = orderHash(plan);
        QMetaObject::invokeMethod(
            this,
            [this, spec = plan.spec(), hash] {
                if (spec == m_hashOf) m_ledger->setOrderHash(hash);
            },
            Qt::QueuedConnection);
    });
}

void ShardsPage::resizeEvent(QResizeEvent*) {
    m_tail->setVisible(width() - kLedgerWidth > kLeastWidthForTail);
}

}  // namespace ringside
