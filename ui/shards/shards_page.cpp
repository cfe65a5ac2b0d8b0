// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/shards_page.h"

#include <QCoreApplication>
#include <QCursor>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLocale>
#include <QScrollArea>
#include <QToolTip>
#include <QVBoxLayout>

#include "models/experiment_model.h"
#include "models/plan_model.h"
#include "models/run_model.h"
#include "shards/biography_view.h"
#include "shards/compare_view.h"
#include "shards/diff_view.h"
#include "shards/loom_view.h"
#include "shards/map_view.h"
#include "theme/theme.h"

namespace ringside {
namespace {

constexpr int kLedgerWidth = 292;
constexpr qint64 kInstantSamples = 20'000;

QLabel* labelled(const QString& text, const char* role) {
    auto* label = new QLabel(text);
    label->setProperty("role", role);
    return label;
}

QTableView* makeTable(QAbstractItemModel& model) {
    auto* table = new QTableView;
    table->setObjectName(QStringLiteral("shardsTableView"));
    table->setAccessibleName(QCoreApplication::translate("ShardsPage", "The view as a table"));
    table->setModel(&model);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setSelectionMode(QAbstractItemView::SingleSelection);
    table->setShowGrid(false);
    table->horizontalHeader()->setStretchLastSection(true);
    table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    table->verticalHeader()->setDefaultSectionSize(Theme::kControlHeight);
    return table;
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
    m_stack->addWidget(makeViewPanel());
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

QWidget* ShardsPage::makeViewPanel() {
    auto* panel = new QFrame;
    panel->setProperty("role", "panel");
    auto* layout = new QVBoxLayout(panel);
    layout->setContentsMargins(Theme::kSpace4, Theme::kSpace3, Theme::kSpace4, Theme::kSpace4);
    layout->setSpacing(Theme::kSpace2);
    layout->addWidget(makeToolRow());
    m_viewStack = new QStackedLayout;
    m_views = {new LoomView(m_theme), new MapView(m_theme), new BiographyView(m_theme), new DiffView(m_theme),
               new CompareView(m_theme)};
    for (ShardView* view : m_views) {
        m_viewStack->addWidget(view);
        connect(view, &ShardView::cellChosen, this, &ShardsPage::select);
        connect(view, &ShardView::cellHovered, this, &ShardsPage::hover);
        connect(view, &ShardView::epochChosen, &m_plan, &PlanModel::setEpoch);
        connect(view, &ShardView::explanationChanged, this, [this] {
            showExplanation();
            if (m_export->tableShown()) showTable();  // made on a worker, it comes later than the view
        });
    }
    m_tableView = makeTable(m_tableModel);
    m_viewStack->addWidget(m_tableView);
    layout->addLayout(m_viewStack, 1);
    m_explanation = new ExplanationBox;
    layout->addSpacing(Theme::kSpace1);
    layout->addWidget(m_explanation);
    return panel;
}

QWidget* ShardsPage::makeToolRow() {
    auto* row = new QWidget;
    row->setProperty("role", "clear");
    auto* layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    m_viewChoice = new SegmentedControl({
        {tr("Loom"), tr("Which rank trains which sample, in order"), QStringLiteral("loomViewButton")},
        {tr("Map"), tr("The rank of every sample, in the order of the data set"), QStringLiteral("mapViewButton")},
        {tr("Biography"), tr("The selected sample through all epochs"), QStringLiteral("biographyViewButton")},
        {tr("Diff"), tr("What changed since another epoch"), QStringLiteral("diffViewButton")},
        {tr("A/B"), tr("A second setting below the experiment's"), QStringLiteral("compareViewButton")},
    });
    layout->addWidget(m_viewChoice);
    m_find = new FindBox;
    layout->addWidget(m_find, 1);
    m_export = new ViewExport;
    layout->addWidget(m_export);
    return row;
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
    connectExport();
    connect(m_viewChoice, &SegmentedControl::chosen, this, &ShardsPage::showView);
    connect(m_find, &FindBox::textChanged, &m_finder, &PlanFinder::setText);
    connect(m_find, &FindBox::stepWanted, this, &ShardsPage::goToHit);
    connect(&m_finder, &PlanFinder::changed, this, &ShardsPage::showFound);
    connect(&m_finder, &PlanFinder::epochWanted, &m_plan, &PlanModel::setEpoch);
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
    m_scene.emplace(ShardScene{*plan, m_plan.epoch(), m_experiment.config().sampler.setEpoch, split->training, m_labels,
                               m_experiment.config().training.epochs});
    view().setScene(*m_scene);
    showTable();
    m_finder.setScene(*m_scene, m_experiment.config());
    m_balance->setScene(m_scene);
    m_coverage.want(m_experiment.config(), plan->spec().datasetSize, plan->spec().data);
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
    view().setSelected(m_plan.selectedSample(), cell);
    showExplanation();
}

void ShardsPage::showExplanation() {
    if (!m_scene) {
        return;
    }
    const auto cell = selectedCell();
    const auto ofView = view().explanation();
    m_explanation->show(!m_finder.problem().isEmpty() ? Explanation{tr("What is looked for?"), {m_finder.problem()}}
                        : ofView                      ? *ofView
                        : cell                        ? explain(*m_scene, *cell)
                                                      : explainNothing(*m_scene));
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
        showExplanation();
        return;
    }
    QToolTip::showText(QCursor::pos() + QPoint(12, 12), cellTip(*m_scene, *cell), &view());
    if (!selectedCell() && !view().explanation()) {
        m_explanation->show(explain(*m_scene, *cell));
    }
}

void ShardsPage::showView(int) {
    if (m_scene) {
        view().setScene(*m_scene);
        showSelection();
    }
    showTable();
}

void ShardsPage::connectExport() {
    m_export->setView([this] { return view().table(); }, [this] { return static_cast<QWidget*>(&view()); });
    m_export->addTable(tr("Save the ledger as CSV..."), [this] {
        return m_scene ? ledgerTable(ledgerRows(m_scene->plan, m_coverage.result(), m_scene->epochs)) : ShardTable{};
    });
    m_export->addTable(tr("Save the class balance as CSV..."), [this] { return balanceTable(m_balance->balance()); });
    connect(m_export, &ViewExport::tableToggled, this, &ShardsPage::showTable);
    connect(m_export, &ViewExport::said, this, [this](const QString& sentence, bool failed) {
        m_explanation->show({failed ? tr("Not saved") : tr("Export"), {sentence}, failed});
    });
    connect(m_tableView->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& now) {
                if (now.isValid()) selectRow(now.row());
            });
}

void ShardsPage::showTable() {
    const bool table = m_export->tableShown();
    m_viewStack->setCurrentIndex(table ? static_cast<int>(m_views.size()) : m_viewChoice->current());
    m_tableModel.setTable(table ? view().table() : ShardTable{});
}

// Selects the sample of a row, where the table is about samples.
void ShardsPage::selectRow(int row) {
    const QStringList fields = m_tableModel.table().row(row);
    const auto number = [&](const char* column) {
        const qsizetype at = m_tableModel.table().columns.indexOf(QLatin1String(column));
        bool known = false;
        const qlonglong value = at < 0 ? 0 : fields.value(at).toLongLong(&known);
        return known ? std::optional<qint64>(value) : std::nullopt;
    };
    const auto sample = number("index");
    if (!sample || !m_scene) {
        return;
    }
    std::optional<SamplePlace> place;
    if (const auto rank = number("rank"), slot = number("slot"); rank && slot) {
        const CellContent content = cellContent(m_scene->plan, static_cast<int>(*rank), *slot);
        place = SamplePlace{static_cast<int>(*rank), *slot, content.step, content.position,
                            content.kind == CellKind::Duplicate};
    }
    m_plan.select(*sample, place);
}

void ShardsPage::showFound() {
    const QLocale locale;
    const auto count = static_cast<qlonglong>(m_finder.hits().size());
    m_find->setProblem(m_finder.problem());
    m_find->setCount(!m_finder.isActive() || !m_finder.problem().isEmpty() ? QString()
                     : m_finder.isWorking()                                ? tr("looking")
                     : m_finder.current() >= 0
                         ? tr("%1 of %2").arg(locale.toString(m_finder.current() + 1), locale.toString(count))
                     : count == 0 ? tr("none")
                                  : tr("%1 found").arg(locale.toString(count)));
    showSelection();
}

void ShardsPage::goToHit(int direction) {
    const PlanHit* hit = m_scene ? m_finder.step(direction) : nullptr;
    if (hit == nullptr) {
        return;
    }
    std::optional<SamplePlace> place;
    if (hit->rank >= 0) {
        const CellContent content = cellContent(m_scene->plan, hit->rank, hit->slot);
        place = SamplePlace{hit->rank, hit->slot, content.step, content.position, content.kind == CellKind::Duplicate};
    }
    m_plan.select(hit->sample, place);
    if (const auto cell = selectedCell()) {
        view().reveal(*cell);
    }
    showFound();
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

}  // namespace ringside
