// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/shards_page.h"

#include <QCursor>
#include <QHBoxLayout>
#include <QLocale>
#include <QScrollArea>
#include <QToolTip>

#include "models/experiment_model.h"
#include "models/plan_model.h"
#include "models/run_model.h"
#include "theme/theme.h"

namespace ringside {
namespace {

constexpr int kLedgerWidth = 292;
constexpr QPoint kTipOffset{12, 12};

SamplePlace placeOf(const ShardPlan& plan, LoomCell cell) {
    const CellContent content = cellContent(plan, cell.rank, cell.slot);
    return {cell.rank, cell.slot, content.step, content.position, content.kind == CellKind::Duplicate};
}

}  // namespace

ShardsPage::ShardsPage(ExperimentModel& experiment, PlanModel& plan, const RunModel& run, Theme& theme, QWidget* parent)
    : QWidget(parent), m_experiment(experiment), m_plan(plan), m_source(experiment, plan), m_verification(run) {
    setObjectName(QStringLiteral("shardsPage"));
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(Theme::kSpace3);
    auto* centre = new QWidget;
    m_stack = new QStackedLayout(centre);
    m_views = new ViewPanel(theme);
    m_empty = new EmptyPanel;
    m_stack->addWidget(m_views);
    m_stack->addWidget(m_empty);
    layout->addWidget(centre, 1);
    layout->addWidget(makeLedger(theme));
    addExports();
    connectParts();
    connectViews();
    showScene();
    showVerification();
}

QWidget* ShardsPage::makeLedger(Theme& theme) {
    m_ledger = new LedgerPanel(theme);
    m_balance = new ClassBalanceView(theme);
    m_ledger->extraLayout().addWidget(m_balance);
    auto* scroll = new QScrollArea;
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setFixedWidth(kLedgerWidth);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setWidget(m_ledger);
    return scroll;
}

void ShardsPage::addExports() {
    m_views->exporter().addTable(tr("Save the ledger as CSV..."), [this] {
        return scene() ? ledgerTable(ledgerRows(scene()->plan, m_coverage.result(), scene()->epochs)) : ShardTable{};
    });
    m_views->exporter().addTable(tr("Save the class balance as CSV..."),
                                 [this] { return balanceTable(m_balance->balance()); });
}

void ShardsPage::connectParts() {
    connect(&m_source, &SceneSource::sceneChanged, this, &ShardsPage::showScene);
    connect(&m_source, &SceneSource::orderHashChanged, this, [this] { m_ledger->setOrderHash(m_source.orderHash()); });
    connect(&m_plan, &PlanModel::selectionChanged, this, &ShardsPage::showSelection);
    connect(&m_coverage, &CoverageCount::resultChanged, this, &ShardsPage::showLedger);
    connect(&m_verification, &Verification::changed, this, &ShardsPage::showVerification);
    connect(&m_views->find(), &FindBox::textChanged, &m_finder, &PlanFinder::setText);
    connect(&m_views->find(), &FindBox::stepWanted, this, &ShardsPage::goToHit);
    connect(&m_finder, &PlanFinder::changed, this, &ShardsPage::showFound);
    connect(&m_finder, &PlanFinder::epochWanted, &m_plan, &PlanModel::setEpoch);
}

void ShardsPage::connectViews() {
    connect(m_views, &ViewPanel::viewChosen, this, &ShardsPage::showView);
    connect(m_views, &ViewPanel::cellChosen, this, &ShardsPage::select);
    connect(m_views, &ViewPanel::cellHovered, this, &ShardsPage::hover);
    connect(m_views, &ViewPanel::rowChosen, this, &ShardsPage::selectAt);
    connect(m_views, &ViewPanel::epochChosen, &m_plan, &PlanModel::setEpoch);
    connect(m_views, &ViewPanel::samplerChosen, this, [this](const QString& kind) {
        RunConfig next = m_experiment.config();
        next.sampler.kind = kind.toStdString();
        m_experiment.edit(next, QStringLiteral("sampler.kind"));
    });
    connect(m_views, &ViewPanel::explanationChanged, this, &ShardsPage::showExplanation);
}

void ShardsPage::showScene() {
    m_ledger->setOrderHash(m_source.orderHash());
    m_balance->setScene(scene());
    if (!scene()) {
        showEmpty();
        return;
    }
    const ShardPlan& plan = scene()->plan;
    m_views->view().setScene(*scene());
    m_views->refreshTable();
    m_finder.setScene(*scene(), m_experiment.config());
    m_coverage.want(m_experiment.config(), plan.spec().datasetSize, plan.spec().data);
    showLedger();
    showSelection();
    if (plan.samplesPerRank() == 0) {
        showEmpty();
    } else {
        m_stack->setCurrentWidget(m_views);
    }
}

void ShardsPage::showEmpty() {
    if (scene()) {
        const Explanation why = explainEmptyShard(*scene());
        m_empty->say(why.title, why.lines.join(QLatin1Char('\n')));
    } else if (m_plan.problem().isEmpty()) {
        m_ledger->setRows({});
        m_empty->say(tr("Loading the data set"), tr("The shards appear as soon as the number of samples is known."));
    } else {
        m_ledger->setRows({});
        m_empty->say(tr("There is no plan for this experiment"), m_plan.problem());
    }
    m_stack->setCurrentWidget(m_empty);
}

std::optional<LoomCell> ShardsPage::selectedCell() const {
    if (!scene() || !m_plan.selectedSample()) {
        return {};
    }
    std::optional<SamplePlace> place = m_plan.selectedPlace();
    if (!place) {
        place = droppedPlace(scene()->plan, *m_plan.selectedSample());
    }
    return place ? std::optional(LoomCell{place->rank, place->slot}) : std::nullopt;
}

void ShardsPage::showSelection() {
    if (!scene()) {
        return;
    }
    m_views->view().setSelected(m_plan.selectedSample(), selectedCell());
    showExplanation();
}

void ShardsPage::showExplanation() {
    if (!scene()) {
        return;
    }
    const auto cell = selectedCell();
    const auto ofView = m_views->view().explanation();
    m_views->explain(!m_finder.problem().isEmpty() ? Explanation{tr("What is looked for?"), {m_finder.problem()}}
                     : ofView                      ? *ofView
                     : cell                        ? explain(*scene(), *cell)
                                                   : explainNothing(*scene()));
}

// A second click on the selected cell lets go.
void ShardsPage::select(LoomCell cell) {
    if (selectedCell() == cell) {
        m_plan.select({});
    } else {
        selectAt(cellContent(scene()->plan, cell.rank, cell.slot).sample, cell);
    }
}

void ShardsPage::selectAt(qint64 sample, std::optional<LoomCell> cell) {
    if (!scene()) {
        return;
    }
    const bool dealt = cell && cell->slot < scene()->plan.samplesPerRank();
    m_plan.select(sample, dealt ? std::optional(placeOf(scene()->plan, *cell)) : std::nullopt);
}

void ShardsPage::hover(std::optional<LoomCell> cell) {
    if (!cell || !scene()) {
        QToolTip::hideText();
        showExplanation();
        return;
    }
    QToolTip::showText(QCursor::pos() + kTipOffset, cellTip(*scene(), *cell), &m_views->view());
    if (!selectedCell() && !m_views->view().explanation()) {
        m_views->explain(explain(*scene(), *cell));
    }
}

void ShardsPage::showView() {
    if (scene()) {
        m_views->view().setScene(*scene());
        showSelection();
    }
}

void ShardsPage::showFound() {
    const QLocale locale;
    const auto count = static_cast<qlonglong>(m_finder.hits().size());
    m_views->find().setProblem(m_finder.problem());
    m_views->find().setCount(!m_finder.isActive() || !m_finder.problem().isEmpty() ? QString()
                             : m_finder.isWorking()                                ? tr("looking")
                             : m_finder.current() >= 0
                                 ? tr("%1 of %2").arg(locale.toString(m_finder.current() + 1), locale.toString(count))
                             : count == 0 ? tr("none")
                                          : tr("%1 found").arg(locale.toString(count)));
    showSelection();
}

void ShardsPage::goToHit(int direction) {
    const PlanHit* hit = scene() ? m_finder.step(direction) : nullptr;
    if (hit == nullptr) {
        return;
    }
    selectAt(hit->sample, hit->rank >= 0 ? std::optional(LoomCell{hit->rank, hit->slot}) : std::nullopt);
    if (const auto cell = selectedCell()) {
        m_views->view().reveal(*cell);
    }
    showFound();
}

PageFigures ShardsPage::figures() const {
    const PlanModel::Work& work = m_plan.work();
    return {work.lastMs, work.made, work.cacheHits, m_views->view().cellsDrawn()};
}

void ShardsPage::showLedger() {
    if (scene()) {
        m_ledger->setRows(ledgerRows(scene()->plan, m_coverage.result(), m_experiment.config().training.epochs));
    }
}

void ShardsPage::showVerification() {
    const VerificationState& state = m_verification.state();
    const Tone tone = !state.mismatches.empty() ? Tone::Danger : state.verifiedEpochs > 0 ? Tone::Good : Tone::Normal;
    m_ledger->setVerification(m_verification.sentence(), tone);
}

}  // namespace ringside
