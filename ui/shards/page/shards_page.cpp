// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/page/shards_page.h"

#include <QCursor>
#include <QHBoxLayout>
#include <QStyle>
#include <QTimer>
#include <QToolTip>
#include <QVBoxLayout>
#include <utility>

#include "config/mesh.h"
#include "models/experiment_model.h"
#include "models/plan_model.h"
#include "models/run_model.h"
#include "sampling/plan/work_limits.h"
#include "shards/balance/balance_table.h"
#include "shards/find/hits_table.h"
#include "shards/page/refusal_text.h"
#include "shards/scene/order_sentences.h"
#include "shards/scene/sentence_text.h"
#include "shards/seen/seen_samples_panel.h"
#include "shards/summary/epoch_summary_table.h"
#include "theme/theme.h"
#include "words/form_fields.h"

namespace ringside {
namespace {

constexpr QPoint kTipOffset{12, 12};
constexpr int kWordsPauseMs = 20;

SampleSlot sampleSlotOf(const ShardPlan& plan, GridCell cell) {
    const CellContent content = cellContent(plan, cell.rank, cell.slot);
    return {cell.rank, cell.slot, content.step, content.position, content.kind == CellKind::Duplicate};
}

// Returns what is known of a wrong sample: the number of the sample that was trained, its rank, step and epoch.
std::vector<Identity> identitiesOf(const PlanMismatch& wrong, qint64 stepsPerEpoch) {
    std::vector<Identity> found;
    if (wrong.trained >= 0) found.push_back({IdentityKind::Sample, wrong.trained});
    found.push_back({IdentityKind::Rank, wrong.rank});
    if (wrong.step > 0) found.push_back({IdentityKind::Step, wrong.epoch * stepsPerEpoch + wrong.step});
    found.push_back({IdentityKind::Epoch, wrong.epoch});
    return found;
}

// Adds a warning to the explanation of a cell if a run has trained on another sample than the planned one in this cell,
// or if the run has another plan.
Explanation withOutcome(Explanation explanation, const RunProgress& progress, GridCell cell) {
    if (progress.otherPlan) {
        explanation.warning = true;
        explanation.lines.prepend(otherPlanSentence());
    }
    for (const WrongCell& wrong : progress.wrong) {
        if (wrong.cell != cell) continue;
        explanation.warning = true;
        explanation.lines.prepend(
            ShardsPage::tr("The run differs from the plan: rank %1 trained on sample %2 in this slot.")
                .arg(cell.rank)
                .arg(wrong.trained));
        explanation.things.push_back({IdentityKind::Sample, wrong.trained});
    }
    return explanation;
}

// Returns the tone, which determines the colour, of the verification's result. It is Good only if an epoch is verified,
// the run did not end early, and each epoch has a different order. isOtherPlan: true if the run has another plan than
// the page.
Tone toneOf(const Verification& verification, bool isOtherPlan) {
    if (!verification.alarm().isEmpty()) return Tone::Danger;
    if (verification.state().verifiedEpochs == 0 || verification.isPartial() || isOtherPlan) return Tone::Normal;
    return verification.repeatsOrder() ? Tone::Warning : Tone::Good;
}

// Returns `config` with the settings of the run that determine its assignment of samples.
RunConfig withPlanOf(RunConfig config, const RunConfig& run) {
    config.dataset = run.dataset;
    config.parallel.worldSize = run.parallel.worldSize;
    config.sampler = run.sampler;
    config.pitfalls = run.pitfalls;
    config.loader = run.loader;
    config.training.epochs = run.training.epochs;
    return config;
}

qint64 stepsPerEpochOf(const RunModel& run) {
    return run.data().started() ? run.data().started()->stepsPerEpoch : 0;
}

}  // namespace

ShardsPage::ShardsPage(ExperimentModel& experiment, PlanModel& plan, const RunModel& run, Theme& theme, QWidget* parent)
    : Page(QStringLiteral("shards"), tr("Shards"), parent),
      m_experiment(experiment),
      m_plan(plan),
      m_run(run),
      m_source(experiment, plan),
      m_verification(run),
      m_follower(plan),
      m_seenPlan(run) {
    setAttribute(Qt::WA_StyledBackground);  // needed to draw the red frame of an alarm
    makeLayout(theme);
    addExports();
    connectParts();
    connectViews();
    connectRun();
    showScene();
    showAlarm();
    showProgress();
}

void ShardsPage::makeLayout(Theme& theme) {
    auto* whole = new QVBoxLayout(this);
    whole->setContentsMargins(0, 0, 0, 0);
    whole->setSpacing(Theme::kSpace2);
    whole->setSizeConstraint(QLayout::SetNoConstraint);
    m_alarm = new AlarmBanner;
    whole->addWidget(m_alarm);
    m_orderNote = new OrderBanner;
    whole->addWidget(m_orderNote);
    connect(m_orderNote, &OrderBanner::showWanted, this, [this] { m_views->showView(QStringLiteral("diff")); });
    m_seenChoice = new SegmentedControl(
        {{tr("Plan"), tr("The order of PyTorch's sampler, with the samples that the ranks have used"),
          QStringLiteral("seenPlanButton")},
         {tr("Samples used"), tr("How often each sample was used, and which samples each rank used in one step"),
          QStringLiteral("seenSamplesButton")}});
    m_seenChoice->setCurrent(0);
    m_seenChoice->hide();
    connect(m_seenChoice, &SegmentedControl::chosen, this, &ShardsPage::showScene);
    whole->addWidget(m_seenChoice, 0, Qt::AlignLeft);
    m_row = new QHBoxLayout;
    m_row->setSpacing(Theme::kSpace3);
    whole->addLayout(m_row, 1);
    auto* centre = new QWidget;
    m_stack = new PageStack(centre);
    m_views = new ViewPanel(theme);
    m_search = new PlanSearch(m_views->find(), this);
    m_empty = new EmptyPanel(QStringLiteral("shards"), tr("Turn off all deliberate mistakes"));
    m_stack->addWidget(m_views);
    m_stack->addWidget(m_empty);
    m_seen = new SeenSamplesPanel(m_run, theme);
    m_stack->addWidget(m_seen);
    m_row->addWidget(centre, 1);
    m_summary = new EpochSummaryPanel(theme);
    m_balance = new ClassBalanceView(theme);
    m_summary->extraLayout().addWidget(m_balance);
    m_side = new EpochSummarySide(m_summary, this);
    connect(m_views, &ViewPanel::epochSummaryToggled, this, &ShardsPage::placeEpochSummary);
}

// Moves the summary beside the views, or into a drawer on a narrow page.
void ShardsPage::placeEpochSummary() {
    const bool beside = width() >= EpochSummarySide::kNarrowPage;
    if (beside != m_side->isBeside()) {
        m_side->setBeside(*m_row, beside);
        QTimer::singleShot(0, this, [this] { layout()->update(); });  // a row of widgets that changes during a resize
                                                                      // event would keep its old layout
    }
    m_views->offerEpochSummary(!beside);
    if (beside || m_seen->isShown())
        return m_side->setVisible(!m_seen->isShown());  // the samples of a watched PyTorch script have their own panel
                                                        // with numbers
    const int top = m_views->mapTo(this, QPoint(0, m_views->toolRowBottom())).y();
    m_side->setGeometry(width() - m_side->width(), top, m_side->width(), height() - top);
    m_side->setVisible(m_views->epochSummaryWanted());
    m_side->raise();
}

void ShardsPage::resizeEvent(QResizeEvent*) {
    placeEpochSummary();
}

void ShardsPage::addExports() {
    m_views->exporter().reportTo(*this);
    m_views->exporter().addTable(tr("Save search results as CSV..."), [this] {
        return scene() ? hitsTable(*scene(), m_search->finder().hits()) : TableData{};
    });
    m_views->exporter().addTable(tr("Save the summary as CSV..."),
                                 [this] { return scene() ? epochSummaryTable(rowsOfEpochSummary()) : TableData{}; });
    m_views->exporter().addTable(tr("Save the class balance as CSV..."),
                                 [this] { return balanceTable(m_balance->balance()); });
}

void ShardsPage::connectParts() {
    m_wordsLater.setSingleShot(true);
    m_wordsLater.setInterval(kWordsPauseMs);
    connect(&m_wordsLater, &QTimer::timeout, this, &ShardsPage::showEpochSummary);
    connect(&m_wordsLater, &QTimer::timeout, this, &ShardsPage::showExplanation);
    connect(&m_source, &SceneSource::sceneChanged, this, &ShardsPage::showScene);
    connect(&m_source, &SceneSource::orderHashChanged, this, [this] { m_summary->setOrderHash(m_source.orderHash()); });
    connect(&m_plan, &PlanModel::selectionChanged, this, &ShardsPage::showSelection);
    connect(&m_experiment, &ExperimentModel::dataChanged, this, [this] {
        if (!scene()) showEmpty();  // the data set is loaded, but the assignment of its samples may still be computed
    });
    connect(&m_coverage, &CoverageCount::resultChanged, this, &ShardsPage::showEpochSummary);
    connect(&m_unique, &UniqueCount::resultChanged, this, &ShardsPage::showEpochSummary);
    connect(m_search, &PlanSearch::hitsChanged, this, [this] { m_views->view().setHits(m_search->hits()); });
    connect(m_search, &PlanSearch::problemChanged, this, &ShardsPage::showExplanation);
    connect(m_search, &PlanSearch::hitChosen, this, &ShardsPage::goToHit);
    connect(&m_search->finder(), &PlanFinder::epochWanted, &m_plan, &PlanModel::setEpoch);
}

void ShardsPage::connectRun() {
    connect(m_summary, &EpochSummaryPanel::rowHovered, this, [this](const QString& name, const QString& tip) {
        if (name.isEmpty() || tip.isEmpty()) {
            showExplanation();
        } else {
            m_views->explain({name, tip.split(QLatin1Char('\n'))});
        }
    });
    connect(&m_verification, &Verification::changed, this, &ShardsPage::showAlarm);
    connect(&m_verification, &Verification::changed, this, &ShardsPage::showProgress);
    connect(&m_seenPlan, &SeenPlanFinder::changed, this, [this](const std::optional<SeenPlan>& plan, qint64 loader) {
        m_verification.setWatched(plan ? std::optional(WatchedPlan{*plan, loader}) : std::nullopt);
        m_plan.setWatchedPlan(plan);
    });
    connect(&m_run, &RunModel::changed, this, &ShardsPage::showProgress);
    connect(&m_run, &RunModel::watchedChanged, this, [this] {
        if (!scene() && !m_seen->isShown()) showEmpty();
    });
    connect(&m_run, &RunModel::restarted, this, [this] {
        if (m_seen->isShown()) showEmpty();
        m_follower.setOn(true);
        m_willReport = false;
        showProgress();
    });
    connect(&m_summary->follow(), &QCheckBox::toggled, &m_follower, &EpochFollower::setOn);
    connect(&m_follower, &EpochFollower::onChanged, &m_summary->follow(), &QCheckBox::setChecked);
    m_summary->follow().setChecked(m_follower.isOn());
    connect(m_alarm, &AlarmBanner::showWanted, this, &ShardsPage::goToMismatch);
    connect(m_alarm, &AlarmBanner::reportWanted, this, [this] {
        m_willReport = true;
        Q_EMIT reportSamplesWanted();
        showAlarm();
    });
}

void ShardsPage::connectViews() {
    connect(m_views, &ViewPanel::mistakeToggled, this, [this](Mistake mistake, bool made) {
        m_experiment.edit(withMistake(m_experiment.config(), mistake, made),
                          QStringLiteral("pitfalls.%1").arg(static_cast<int>(mistake)));
    });
    connect(m_empty, &EmptyPanel::actionWanted, this, [this] {
        RunConfig config = m_experiment.config();
        config.pitfalls = {};
        m_experiment.edit(config, QStringLiteral("pitfalls"));
    });
    connect(m_views, &ViewPanel::viewChosen, this, &ShardsPage::showChosenView);
    connect(m_views, &ViewPanel::cellChosen, this, &ShardsPage::select);
    connect(m_views, &ViewPanel::cellHovered, this, &ShardsPage::hover);
    connect(m_views, &ViewPanel::rowChosen, this, &ShardsPage::selectAt);
    connect(m_views, &ViewPanel::epochChosen, &m_plan, &PlanModel::setEpoch);
    connect(m_views, &ViewPanel::samplerChosen, this, [this](const QString& kind) {
        RunConfig next = m_experiment.config();
        next.sampler.kind = samplerNamed(kind.toStdString()).value_or(next.sampler.kind);
        m_experiment.edit(next, QStringLiteral("sampler.kind"));
    });
    connect(m_views, &ViewPanel::explanationChanged, this, &ShardsPage::showExplanation);
}

void ShardsPage::showScene() {
    m_summary->setOrderHash(m_source.orderHash());
    m_balance->setScene(scene());
    if (!scene()) {
        showEmpty();
        return;
    }
    const ShardPlan& plan = scene()->plan;
    m_views->view().setScene(*scene());
    m_views->refreshTable();
    m_search->finder().setScene(*scene(), m_plan.config());
    m_coverage.requestLatest(m_plan.config(), plan.spec().datasetSize, plan.spec().data);
    m_unique.requestLatest(plan);
    m_views->view().setSelected(m_plan.selectedSample(), selectedCell());
    if (plan.spec().datasetSize > kInstantSamples) {
        // Computes the sentences after the next frame, so that the view is drawn first.
        if (!m_wordsLater.isActive()) m_wordsLater.start();
    } else {
        showEpochSummary();
        showExplanation();
    }
    showProgress();
    if (m_goal && m_plan.epoch() == scene()->epoch) {
        const GridCell goal = *std::exchange(m_goal, {});
        const bool exists = goal.rank < scene()->ranks() && goal.slot >= 0 && goal.slot < plan.samplesPerRank();
        if (exists) selectAt(plan.index(goal.rank, goal.slot), goal);
        m_views->view().reveal(goal);
    }
    if (plan.samplesPerRank() == 0) return showEmpty();
    m_seenChoice->setVisible(m_plan.isWatchedPlan());
    const bool showsSamples = m_plan.isWatchedPlan() && m_seenChoice->current() == 1;
    m_stack->setCurrentWidget(showsSamples ? static_cast<QWidget*>(m_seen) : m_views);
    placeEpochSummary();
}

QSize ShardsPage::minimumSizeHint() const {
    const QWidget& part = m_seen->isShown() ? static_cast<const QWidget&>(*m_seen) : *m_views;
    return {part.minimumSizeHint().width(), layout()->minimumSize().height()};
}

bool ShardsPage::isSettled() const {
    if (m_seen->isShown()) return m_seen->isSettled();
    return m_stack->currentWidget() == m_empty || (m_source.isSettled() && m_views->view().isSettled());
}

QString ShardsPage::copyText() const {
    return tabText(m_seen->isShown() ? m_seen->table() : m_views->view().table());
}

void ShardsPage::showEmpty() {
    m_seenChoice->hide();
    if (!scene() && m_run.isWatched() && !m_run.expected()) {
        m_summary->setRows({});
        m_stack->setCurrentWidget(m_seen);
        return placeEpochSummary();
    }
    if (scene()) {
        const Explanation why = explainEmptyShard(*scene());
        m_empty->showMessage(why.title, why.lines.join(QLatin1Char('\n')));
    } else if (m_plan.problem().isEmpty()) {
        m_summary->setRows({});
        if (const DataSplit* split = m_experiment.data()) {
            m_empty->showMessage(
                tr("Assigning %1 samples").arg(groupedNumber(split->training->size())),
                tr("The shards appear when all samples are assigned. A change in the form restarts the assignment."));
        } else {
            m_empty->showMessage(tr("Loading the data set"),
                                 tr("The shards appear when the number of samples is known."));
        }
    } else if (m_experiment.config().pitfalls.any()) {
        m_summary->setRows({});
        m_empty->showMessage(refusalTitle(m_experiment.config().pitfalls),
                             refusalText(m_experiment.config().pitfalls, m_plan.problem()), tr("Undo the mistake"));
    } else {
        m_summary->setRows({});
        m_empty->showMessage(tr("This experiment has no shard plan"), inFormWords(m_plan.problem()));
    }
    m_stack->setCurrentWidget(m_empty);
    placeEpochSummary();
}

std::optional<GridCell> ShardsPage::selectedCell() const {
    if (!scene() || !m_plan.selectedSample()) {
        return {};
    }
    std::optional<SampleSlot> place = m_plan.selectedPlace();
    if (!place) {
        place = droppedPlace(scene()->plan, *m_plan.selectedSample());
    }
    return place ? std::optional(GridCell{place->rank, place->slot}) : std::nullopt;
}

void ShardsPage::showSelection() {
    if (!scene()) {
        return;
    }
    m_views->view().setSelected(m_plan.selectedSample(), selectedCell());
    if (!m_wordsLater.isActive()) showExplanation();
}

void ShardsPage::showExplanation() {
    if (!scene()) {
        return;
    }
    const auto cell = selectedCell();
    const auto ofView = m_views->view().explanation();
    const QString problem = m_search->finder().problem();
    // Ignores a selected sample that does not exist in this data set: it can have been selected in a larger one.
    const bool isUnused =
        !cell && m_plan.selectedSample() && *m_plan.selectedSample() < scene()->plan.spec().datasetSize;
    m_views->explain(!problem.isEmpty() ? Explanation{tr("Not a valid search"), {problem}}
                     : ofView           ? *ofView
                     : cell             ? withOutcome(explain(*scene(), *cell), m_progress, *cell)
                     : isUnused         ? explainUnused(*scene(), *m_plan.selectedSample())
                                        : explainGrid(*scene()));
}

// Selects a cell. A second click on the selected cell clears the selection.
void ShardsPage::select(GridCell cell) {
    if (selectedCell() == cell) {
        m_plan.select({});
    } else {
        selectAt(cellContent(scene()->plan, cell.rank, cell.slot).sample, cell);
    }
}

void ShardsPage::selectAt(qint64 sample, std::optional<GridCell> cell) {
    if (!scene()) {
        return;
    }
    const bool isAssigned = cell && cell->slot < scene()->plan.samplesPerRank();
    m_plan.select(sample, isAssigned ? std::optional(sampleSlotOf(scene()->plan, *cell)) : std::nullopt);
}

void ShardsPage::hover(std::optional<GridCell> cell) {
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

void ShardsPage::showChosenView() {
    if (scene()) {
        m_views->view().setScene(*scene());
        m_views->view().setHits(m_search->hits());
        showSelection();
        showProgress();
        QTimer::singleShot(0, this, [this] {  // the call is delayed until the layout has given the view its size
            if (const auto cell = selectedCell()) m_views->view().reveal(*cell);
        });
    }
}

void ShardsPage::goToHit(const PlanHit& hit) {
    if (!scene()) return;
    selectAt(hit.sample, hit.rank >= 0 ? std::optional(GridCell{hit.rank, hit.slot}) : std::nullopt);
    if (const auto cell = selectedCell()) m_views->view().reveal(*cell);
}

QList<PageShortcut> ShardsPage::shortcuts() const {
    return {{QStringLiteral("W / S"), tr("Grid: zoom in, out")},
            {QStringLiteral("A / D"), tr("Grid: move to earlier, later slots")},
            {QStringLiteral("F"), tr("Grid: show the whole epoch")},
            {QStringLiteral("Home / End"), tr("Grid: show the first, last slots")},
            {tr("Arrows"), tr("Shards: move the selection")},
            {QStringLiteral("Ctrl+F"), tr("Shards: find a sample")},
            {tr("Space"), tr("Animation: next group")}};
}

PageFigures ShardsPage::figures() const {
    const PlanModel::Work& work = m_plan.work();
    return {work.lastMs, work.made, work.cacheHits, m_views->view().cellsDrawn()};
}

QList<EpochSummaryRow> ShardsPage::rowsOfEpochSummary() const {
    const RunConfig& config = m_experiment.config();
    const bool changes = changesByEpoch(*scene());
    EpochSummaryCounts counts{m_coverage.result(), m_unique.result(), changes,
                              changes ? QString() : sameOrderReason(*scene())};
    // Uses the number of devices of the scene, because the form may already have another one.
    counts.devices = scene()->devices;
    if (config.dataRanks() == scene()->ranks() && counts.devices == 1) counts.ranks = config.parallel.worldSize;
    return epochSummaryRows(scene()->plan, counts, config.training.epochs, config.training.accumulateSteps);
}

void ShardsPage::showEpochSummary() {
    if (scene()) m_summary->setRows(rowsOfEpochSummary());
    const RunConfig& config = m_experiment.config();
    m_orderNote->setEpochs(scene() && config.repeatsOrder() ? config.training.epochs : 0);
}

void ShardsPage::showStep(std::optional<qint64> step, qint64 epoch, std::optional<int> goToRank) {
    m_step = {step, epoch};
    m_seen->setStep(step);
    markStep();
    if (!step || !goToRank) return;
    if (m_progress.otherPlan) {
        Q_EMIT failed(
            tr("The form differs from the run on screen, so the grid cannot show the samples of step %1. Undo "
               "the changes of the form to see them.")
                .arg(*step));
        return;
    }
    const RankLayout layout{meshOf(m_experiment.config()), *goToRank};
    m_goal = GridCell{layout.dataRank(), firstSlotOf(m_step, m_experiment.config(), stepsPerEpochOf(m_run))};
    m_plan.setEpoch(static_cast<int>(epoch));
    if (scene() && scene()->epoch == epoch) showScene();
}

void ShardsPage::markStep() {
    const bool canMark = scene() && !m_progress.otherPlan;
    m_views->view().setStep(canMark ? slotsOf(m_step, *scene(), m_experiment.config(), stepsPerEpochOf(m_run))
                                    : std::nullopt);
}

void ShardsPage::showProgress() {
    const bool wasOther = m_progress.otherPlan;
    m_progress = scene() ? runProgress(*scene(), m_run.data(), m_verification) : RunProgress{};
    if (m_progress.otherPlan != wasOther) showExplanation();
    m_views->view().setProgress(m_progress);
    markStep();
    const QString verdict = m_verification.sentence();
    const bool isOther = m_progress.otherPlan && !verdict.isEmpty();
    m_summary->setVerification(isOther ? tr("Result for the run, which has another plan: %1").arg(verdict) : verdict,
                               toneOf(m_verification, m_progress.otherPlan));
    m_summary->setProgress(scene() ? progressSentence(m_progress, *scene()) : QString());
    m_summary->follow().setVisible(m_progress.liveEpoch >= 0);
    const RunData& run = m_run.data();
    if (run.ended() && run.lastStep() && !m_progress.otherPlan) m_follower.finish(run.lastStep()->epoch);
    m_follower.setLiveEpoch(m_progress.otherPlan ? -1 : m_progress.liveEpoch);
    followBatch();
}

// In slow motion, scrolls to the batch that rank 0 is training on while the page follows the run.
void ShardsPage::followBatch() {
    if (!m_run.data().showsPhases() || !m_follower.isOn() || m_progress.ranks.empty()) return;
    const RankProgress& first = m_progress.ranks.front();
    if (first.underway == 0 || first.done == std::exchange(m_followedSlot, first.done)) return;
    m_views->view().reveal({0, first.done + first.underway - 1});
    m_views->view().reveal({0, first.done});
}

// Shows the alarm banner and a red frame around the page if a rank trained on a sample that was not planned; otherwise
// hides both.
void ShardsPage::showAlarm() {
    const QString sentence = m_verification.alarm();
    const auto& mismatches = m_verification.state().mismatches;
    m_alarm->setReporting(m_willReport);
    const auto& started = m_run.data().started();
    m_alarm->setAlarm(sentence, !mismatches.empty() && mismatches.front().slot < 0,
                      mismatches.empty() || !started ? std::vector<Identity>()
                                                     : identitiesOf(mismatches.front(), started->stepsPerEpoch));
    const bool alarm = !sentence.isEmpty();
    if (property("alarm").toBool() == alarm) return;
    setProperty("alarm", alarm);
    const int frame = alarm ? Theme::kSpace2 : 0;
    layout()->setContentsMargins(frame, frame, frame, frame);
    style()->unpolish(this);
    style()->polish(this);
}

// Goes to the first sample that a rank trained contrary to the plan. The plan of its epoch may have to be computed
// first.
void ShardsPage::goToMismatch() {
    const auto& mismatches = m_verification.state().mismatches;
    if (mismatches.empty()) return;
    const PlanMismatch& first = mismatches.front();
    // If the run has another plan than the page, copies the run's settings into the experiment. The user can undo this
    // edit.
    if (m_progress.otherPlan)
        m_experiment.edit(withPlanOf(m_experiment.config(), *m_verification.config()), QStringLiteral("run"));
    m_views->showView(QStringLiteral("grid"));
    m_goal = GridCell{first.rank, std::max<qint64>(0, first.slot)};
    m_follower.setOn(false);
    m_plan.setEpoch(static_cast<int>(first.epoch));
    if (scene() && scene()->epoch == first.epoch) showScene();
}

}  // namespace ringside
