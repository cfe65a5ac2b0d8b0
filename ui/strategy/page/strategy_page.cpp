// SPDX-License-Identifier: GPL-3.0-or-later
#include "strategy/page/strategy_page.h"

#include <QHBoxLayout>
#include <QMenu>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>
#include <array>

#include "base/processors/processors.h"
#include "config/mesh.h"
#include "controls/flow_layout.h"
#include "export/chart_export.h"
#include "models/experiment_model.h"
#include "models/run_model.h"
#include "schedule/schedule.h"
#include "strategy/page/picture_table_panel.h"
#include "strategy/pictures/memory_canvas.h"
#include "strategy/pictures/memory_curve_canvas.h"
#include "strategy/pictures/mesh_canvas.h"
#include "strategy/pictures/placement_canvas.h"
#include "strategy/pictures/schedule_canvas.h"
#include "strategy/pictures/schedule_motion.h"
#include "strategy/scene/strategy_sentences.h"
#include "theme/theme.h"
#include "theme/type_length.h"
#include "words/form_fields.h"

namespace ringside {
namespace {

constexpr int kReadIntervalMs = 400;  // interval for reading the traces of a live run, in milliseconds
constexpr int kMoveMs = 40;
constexpr TypePixels kMinHeight{540};
// additional height that the page needs if its upper panels are one below the other
constexpr TypePixels kMinPanel{170};
constexpr TypePixels kBesideEachOther{520};  // minimum width of a page whose upper panels are side by side
constexpr TypePixels kMinNote{120};
constexpr TypePixels kMinChoices{120};
constexpr TypePixels kMinPictures{372};  // minimum height of the page without the rows of the table
constexpr std::array kKinds = {PipelineScheduleKind::kGpipe, PipelineScheduleKind::k1F1B,
                               PipelineScheduleKind::kInterleaved, PipelineScheduleKind::kZeroBubble};

// Returns assumed rates of computation and transfer, for a computer whose speed was not measured.
MachineRates usualRates() {
    return {.processors = usableProcessors()};
}

// Returns the experiment as text, without the settings of its strategy. The page discards the measured numbers when
// this text changes.
std::string withoutStrategy(const RunConfig& config) {
    RunConfig plain = config;
    plain.parallel.strategy = StrategyKind::kDdp;
    plain.mesh = {};
    plain.pipeline = {};
    plain.fsdp = {};
    return plain.toText();
}

}  // namespace

StrategyPage::StrategyPage(ExperimentModel& experiment, RunModel& run, Theme& theme, const QString& controlProgram,
                           QWidget* parent)
    : Page(QStringLiteral("strategy"), tr("Strategy"), parent),
      m_experiment(experiment),
      m_run(run),
      m_theme(theme),
      m_process(controlProgram) {
    m_stack = new QStackedLayout(this);
    m_content = new QWidget;
    m_content->setObjectName(QStringLiteral("strategyContent"));
    auto* column = new QVBoxLayout(m_content);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(Theme::kSpace2);
    column->addWidget(makeTop(), 10);
    column->addWidget(makeSchedule(), 10);
    column->addWidget(makeChoices(), 11);
    auto* scroll = new QScrollArea;
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setProperty("role", "clear");
    scroll->viewport()->setAutoFillBackground(false);
    scroll->setWidget(m_content);
    m_stack->addWidget(scroll);
    m_empty = new QLabel;
    m_empty->setObjectName(QStringLiteral("strategyEmptyLabel"));
    m_empty->setProperty("role", "muted");
    m_empty->setAlignment(Qt::AlignCenter);
    m_empty->setWordWrap(true);
    m_stack->addWidget(m_empty);
    connectAll();
    startPlan();
}

QWidget* StrategyPage::makeTop() {
    auto* top = new QWidget;
    top->setProperty("role", "clear");
    auto* row = new QBoxLayout(QBoxLayout::LeftToRight, top);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(Theme::kSpace2);
    m_holds = new PlacementCanvas(m_theme);
    m_holdsPanel = new PictureTablePanel(tr("Model placement"), QStringLiteral("holds"), m_holds);
    m_mesh = new MeshCanvas(m_theme);
    m_holdsPanel->addPicture(m_mesh);
    m_holdsView = new SegmentedControl(
        {{tr("Layers"), tr("Ranks that hold the parameters, gradients and optimizer state of each layer"),
          QStringLiteral("holdsLayersButton")},
         {tr("Mesh"), tr("Groups of ranks, and bytes sent over each link"), QStringLiteral("holdsMeshButton")}});
    m_holdsPanel->addControl(m_holdsView);
    m_memory = new MemoryCanvas(m_theme);
    m_memoryPanel = new PictureTablePanel(tr("Memory of each rank"), QStringLiteral("memory"), m_memory);
    m_curves = new MemoryCurveCanvas(m_theme);
    m_memoryPanel->addPicture(m_curves);
    m_memoryView = new SegmentedControl(
        {{tr("Ranks"), tr("Memory of each rank before the first step"), QStringLiteral("memoryRanksButton")},
         {tr("Time"), tr("Memory in use during a step"), QStringLiteral("memoryStepButton")}});
    m_memoryPanel->addControl(m_memoryView);
    for (SegmentedControl* one : {m_holdsView, m_memoryView}) {
        one->setTight(true);
        connect(one, &SegmentedControl::chosen, this, &StrategyPage::showScene);
    }
    row->addWidget(m_holdsPanel, 1);
    row->addWidget(m_memoryPanel, 1);
    return top;
}

QWidget* StrategyPage::makeSchedule() {
    m_schedule = new ScheduleCanvas(m_theme);
    m_schedulePanel = new PictureTablePanel(tr("Schedule"), QStringLiteral("schedule"), m_schedule);
    m_kinds = new SegmentedControl(
        {{tr("GPipe"), tr("All micro-batches forward, then all backward"), QStringLiteral("gpipeButton")},
         {tr("1F1B"), tr("Forward and backward alternate, which keeps fewer activations"),
          QStringLiteral("oneForwardOneBackwardButton")},
         {tr("Interleaved"), tr("Several stages on each rank, with less idle time"),
          QStringLiteral("interleavedButton")},
         {tr("Zero bubble"), tr("Backward in two halves; the second half fills the idle time"),
          QStringLiteral("zeroBubbleButton")}});
    m_kinds->setObjectName(QStringLiteral("scheduleKindsControl"));
    m_schedulePanel->addControl(m_kinds);
    return m_schedulePanel;
}

QWidget* StrategyPage::makeChoices() {
    auto* panel = new QFrame;
    panel->setProperty("role", "panel");
    auto* column = new QVBoxLayout(panel);
    column->setContentsMargins(Theme::kSpace4, Theme::kSpace2, Theme::kSpace4, Theme::kSpace2);
    column->setSpacing(Theme::kSpace1);
    auto* head = new FlowLayout;
    head->setSpacing(Theme::kSpace2);
    auto* title = new QLabel(tr("Strategies"));
    title->setProperty("role", "title");
    m_choicesNote = new ElidedLabel;
    m_choicesNote->setObjectName(QStringLiteral("strategiesNoteLabel"));
    m_choicesNote->setProperty("role", "muted");
    m_choicesNote->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    followType(*m_choicesNote, [this] { m_choicesNote->setMinimumWidth(kMinNote); });
    head->addWidget(title);
    head->addWidget(m_choicesNote);
    const auto addButton = [head](const QString& text, const char* name, const QString& tip) {
        auto* button = new QPushButton(text);
        button->setObjectName(QLatin1String(name));
        button->setToolTip(tip);
        button->setAccessibleName(text);
        button->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
        head->addWidget(button);
        return button;
    };
    m_measure = addButton(tr("Measure"), "measureStrategiesButton",
                          tr("Train with each possible strategy for a few seconds and show the measured numbers"));
    m_prove = addButton(tr("Prove"), "proveStrategiesButton",
                        tr("Train 20 steps with each strategy and compare the weights bit by bit"));
    head->addWidget(makeExport());
    column->addLayout(head);
    m_choices = new ChoicesTable(m_theme);
    column->addWidget(m_choices, 1);
    return panel;
}

ViewExport* StrategyPage::makeExport() {
    m_export = new ViewExport(QStringLiteral("strategy"));
    m_export->setToolTip(tr("Show tables, save pictures and tables, load or save a schedule"));
    m_export->setView([this] { return m_choices->table(); }, [this] { return m_content; });
    connect(m_export, &ViewExport::tableToggled, this, &StrategyPage::setTables);
    m_export->reportTo(*this);
    m_export->menu()
        ->addAction(tr("Load a schedule..."), this,
                    [this] {
                        Q_EMIT openPathWanted(tr("Load a schedule"), QStringLiteral("*.csv"),
                                              [this](const QString& file) { loadSchedule(file); });
                    })
        ->setObjectName(QStringLiteral("loadScheduleAction"));
    m_export->addFile(tr("Save the schedule in PyTorch's notation..."), QStringLiteral("schedule"),
                      QStringLiteral("csv"), [this](const QString& file) { return scheduleWriter(file); });
    using Make = TableData (*)(const StrategyScene&);
    for (const auto& [text, make] :
         {std::pair<QString, Make>(tr("Save the model placement as CSV..."), placementTable),
          std::pair<QString, Make>(tr("Save the memory as CSV..."), memoryTable),
          std::pair<QString, Make>(tr("Save the memory over the step as CSV..."), curvesTable),
          std::pair<QString, Make>(tr("Save the mesh's links as CSV..."), meshTable),
          std::pair<QString, Make>(tr("Save the schedule as CSV..."), scheduleTable),
          std::pair<QString, Make>(tr("Save the links' bytes as CSV..."), linksTable)})
        m_export->addTable(text, [this, table = make] { return table(m_scene); });
    return m_export;
}

ViewExport::Writer StrategyPage::scheduleWriter(const QString& file) const {
    if (!m_scene.cost)
        return [] {
            return tr("Not saved: the experiment has a problem, so there is no plan. See the problems in the form.");
        };
    const QString text = QString::fromStdString(scheduleText(m_scene.plan().schedule)).trimmed();
    return [lines = text.split(QLatin1Char('\n')), file] { return writeLines(lines, file); };
}

QList<Page::View> StrategyPage::views() const {
    return {
        {QStringLiteral("layers"), tr("Layers"), tr("placement parameters gradients optimizer state")},
        {QStringLiteral("mesh"), tr("Mesh"), tr("groups bytes link")},
        {QStringLiteral("memory"), tr("Memory by rank"), tr("peak predicted measured limit")},
        {QStringLiteral("memory_over_step"), tr("Memory over the step"), tr("curve activations in flight gathered")}};
}

void StrategyPage::showView(const QString& name) {
    if (name == QStringLiteral("layers") || name == QStringLiteral("mesh"))
        m_holdsView->setCurrent(name == QStringLiteral("mesh") ? 1 : 0);
    else
        m_memoryView->setCurrent(name == QStringLiteral("memory_over_step") ? 1 : 0);
    showScene();
}

void StrategyPage::connectAll() {
    m_tick.setSingleShot(true);
    m_tick.setInterval(0);
    m_readTimer.setSingleShot(true);
    m_readTimer.setInterval(kReadIntervalMs);
    m_move.setSingleShot(true);
    m_move.setInterval(kMoveMs);
    connect(&m_move, &QTimer::timeout, this, &StrategyPage::followRanks);
    connect(&m_tick, &QTimer::timeout, this, &StrategyPage::startPlan);
    connect(&m_readTimer, &QTimer::timeout, this, &StrategyPage::readRun);
    connect(&m_experiment, &ExperimentModel::configChanged, this, &StrategyPage::planLater);
    connect(&m_experiment, &ExperimentModel::dataChanged, this, &StrategyPage::planLater);
    connect(&m_run, &RunModel::changed, this, [this](unsigned changes) {
        constexpr unsigned kSeen = kRunStartedChanged | kRanksChanged | kTraceChanged | kEndChanged;
        if ((changes & kSeen) != 0 && isVisible() && !m_readTimer.isActive()) m_readTimer.start();
        if ((changes & (kRanksChanged | kControlChanged)) != 0 && isVisible() && !m_move.isActive()) m_move.start();
    });
    connect(&m_run, &RunModel::restarted, this, &StrategyPage::planLater);
    connect(m_choices, &ChoicesTable::chosen, this, &StrategyPage::useStrategy);
    connect(m_kinds, &SegmentedControl::chosen, this, &StrategyPage::chooseSchedule);
    connect(m_measure, &QPushButton::clicked, this, &StrategyPage::measureStrategies);
    connect(m_prove, &QPushButton::clicked, this, &StrategyPage::proveStrategies);
    connect(&m_process, &StrategyProcess::measured, m_choices, &ChoicesTable::setFigures);
    connect(&m_process, &StrategyProcess::proved, m_choices, &ChoicesTable::setProof);
    connect(&m_process, &StrategyProcess::measured, this, &StrategyPage::countTestedStrategy);
    connect(&m_process, &StrategyProcess::proved, this, &StrategyPage::countTestedStrategy);
    connect(&m_process, &StrategyProcess::failed, this, &Page::failed);
    connect(&m_process, &StrategyProcess::over, this, &StrategyPage::showBusy);
}

void StrategyPage::showEvent(QShowEvent* event) {
    Page::showEvent(event);
    startPlan();
}

void StrategyPage::planLater() {
    if (isVisible() && !m_tick.isActive()) m_tick.start();
}

void StrategyPage::startPlan() {
    m_scene = plannedScene(m_experiment, usualRates());
    m_scene.ran = strategyMeasurements(m_scene, m_run.data());
    if (const std::string now = withoutStrategy(m_scene.config); now != m_seenFor) {
        m_seenFor = now;
        m_process.stop();
        m_choices->clearMeasuredNumbers();
    }
    showScene();
}

void StrategyPage::readRun() {
    m_scene.ran = strategyMeasurements(m_scene, m_run.data());
    showScene();
}

// Updates the positions of the ranks within the current step, in the pictures and in the note. The positions are known
// only in slow motion, and while the user advances phase by phase.
void StrategyPage::followRanks() {
    std::optional<StepMotion> motion = m_scene.ran ? stepMotion(m_run.data()) : std::nullopt;
    if (motion == m_scene.motion) return;
    m_scene.motion = std::move(motion);
    for (StrategyCanvas* canvas : std::initializer_list<StrategyCanvas*>{m_holds, m_mesh, m_schedule})
        canvas->setMotion(m_scene.motion);
    m_schedulePanel->setNote(motionSentence(m_scene));
}

// Returns the text that is shown instead of the panels if there is no strategy to show.
QString StrategyPage::reasonForNothing() const {
    if (m_scene.loading) return tr("Reading the data set");
    if (m_scene.config.dataset.kind == DatasetKind::kExternal)
        return tr(
            "No strategy to show: a watched script trains by its own code. This page compares the strategies of an "
            "experiment that Ringside trains.");
    return tr("No strategy to show: %1").arg(inFormWords(QString::fromStdString(m_scene.problem)));
}

void StrategyPage::showScene() {
    m_scene.motion = m_scene.ran ? stepMotion(m_run.data()) : std::nullopt;
    const bool nothing = m_scene.choices.empty();
    m_stack->setCurrentIndex(nothing ? 1 : 0);
    if (nothing) m_empty->setText(reasonForNothing());
    const QString problem = inFormWords(QString::fromStdString(m_scene.problem));
    for (StrategyCanvas* canvas :
         std::initializer_list<StrategyCanvas*>{m_holds, m_mesh, m_memory, m_curves, m_schedule}) {
        canvas->setEmptyText(canvas == m_schedule ? problem : QString());
        canvas->setScene(m_scene);
    }
    m_holdsPanel->showPicture(m_holdsView->current());
    m_holdsPanel->setTable(m_holdsView->current() == 0 ? placementTable(m_scene) : meshTable(m_scene));
    m_memoryPanel->showPicture(m_memoryView->current());
    m_memoryPanel->setTable(m_memoryView->current() == 0 ? memoryTable(m_scene) : curvesTable(m_scene));
    m_schedulePanel->setTable(scheduleTable(m_scene));
    m_choices->setScene(m_scene);
    fitChoices();
    showSentences();
    showScheduleChoice();
    showBusy();
}

void StrategyPage::resizeEvent(QResizeEvent* event) {
    Page::resizeEvent(event);
    const bool stacked = width() < kBesideEachOther;
    static_cast<QBoxLayout*>(m_holdsPanel->parentWidget()->layout())
        ->setDirection(stacked ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
    m_content->setMinimumHeight(kMinHeight + (stacked ? int(kMinPanel) : 0));
    fitChoices();
}

// Makes the table high enough for all strategies, but leaves at least kMinPictures of the page's height to the other
// panels.
void StrategyPage::fitChoices() {
    const int room = std::max<int>(kMinChoices, height() - kMinPictures);
    m_choices->setMinimumHeight(std::min(m_choices->wholeHeight(), room));
}

void StrategyPage::showSentences() {
    m_holdsPanel->setSentence(m_scene.cost ? strategyTitle(m_scene) : tr("no placement; see the reason below"));
    m_holdsPanel->setNote(m_holdsView->current() == 0 ? placementSentence(m_scene) : linksSentence(m_scene));
    m_memoryPanel->setSentence(!m_scene.cost                  ? QString()
                               : m_memoryView->current() == 1 ? tr("predicted memory use during a step")
                               : MemoryCanvas::isMeasured(m_scene)
                                   ? tr("filled: measured; outline: predicted")
                                   : tr("predicted memory; after a run, measured memory is shown, too"));
    m_memoryPanel->setNote(m_memoryView->current() == 1 ? memoryOverStepSentence(m_scene) : QString());
    m_schedulePanel->setSentence(m_scene.cost ? scheduleSentence(m_scene) : tr("no plan"));
    m_schedulePanel->setNote(motionSentence(m_scene));
}

// Returns the text above the table: the number of ranks that the numbers are for or, while strategies are measured or
// proved, the progress.
QString StrategyPage::choicesNote() const {
    const QString tried = tr("%1 of %2 strategies done").arg(m_tried).arg(m_toTry);
    if (m_process.isBusy())
        return m_process.isProving() ? tr("Proving: %1").arg(tried) : tr("Measuring: %1").arg(tried);
    const std::int64_t ranks = m_scene.config.parallel.worldSize;
    const QString where =
        ranks == 1 ? tr("numbers for this model on one rank") : tr("numbers for this model on %1 ranks").arg(ranks);
    return tr("%1; click a strategy to use it in the form").arg(where);
}

void StrategyPage::expectTried(std::size_t strategies) {
    m_tried = 0;
    m_toTry = strategies;
    showBusy();
}

void StrategyPage::countTestedStrategy() {
    m_tried = std::min(m_tried + 1, m_toTry);
    showBusy();
}

void StrategyPage::showScheduleChoice() {
    const PipelineConfig& pipeline = m_scene.config.pipeline;
    m_kinds->setVisible(m_scene.config.parallel.strategy == StrategyKind::kPipeline);
    // blocks the signal of a choice, because the program makes this choice and not the user
    const QSignalBlocker quiet(m_kinds);
    const auto found = std::ranges::find(kKinds, pipeline.schedule);
    if (pipeline.scheduleFile.empty() && found != kKinds.end())
        m_kinds->setCurrent(static_cast<int>(found - kKinds.begin()));
    else
        m_kinds->setNone();
}

// Puts the settings of a strategy into the form. Does not change other settings, and keeps paths as the user has typed
// them.
void StrategyPage::useStrategy(const std::string& strategy) {
    const auto found = std::ranges::find(m_scene.choices, strategy, &StrategyChoice::name);
    if (found == m_scene.choices.end()) return;
    RunConfig next = m_experiment.config();
    next.parallel.strategy = found->config.parallel.strategy;
    next.mesh = found->config.mesh;
    next.pipeline = found->config.pipeline;
    next.fsdp = found->config.fsdp;
    edit(next, QStringLiteral("parallel.strategy"));
}

void StrategyPage::chooseSchedule(int index) {
    RunConfig next = m_experiment.config();
    next.pipeline.schedule = kKinds[static_cast<std::size_t>(index)];
    next.pipeline.scheduleFile.clear();
    next.pipeline.stagesPerRank = stagesPerRankFor(next.pipeline.schedule, next);
    edit(next, QStringLiteral("pipeline.schedule"));
}

void StrategyPage::edit(const RunConfig& next, const QString& field) {
    m_experiment.edit(next, field);
}

void StrategyPage::measureStrategies() {
    if (m_process.isBusy()) return m_process.stop();
    m_process.measure(m_scene.config);
    expectTried(m_scene.choices.size());
}

void StrategyPage::proveStrategies() {
    constexpr int kSteps = 20;
    if (m_process.isBusy()) return m_process.stop();
    const QStringList names = m_choices->provedStrategies();
    m_process.prove(m_scene.config, names, kSteps);
    expectTried(static_cast<std::size_t>(names.size()));
}

void StrategyPage::showBusy() {
    const bool measuring = m_process.isBusy() && !m_process.isProving();
    const bool proving = m_process.isBusy() && m_process.isProving();
    m_choicesNote->setWhole(choicesNote());
    m_measure->setText(measuring ? tr("Stop measuring") : tr("Measure"));
    m_prove->setText(proving ? tr("Stop proving") : tr("Prove"));
    m_measure->setEnabled(!proving && !m_scene.choices.empty());
    m_prove->setEnabled(!measuring && !m_scene.choices.empty());
}

void StrategyPage::setTables(bool tables) {
    for (PictureTablePanel* panel : {m_holdsPanel, m_memoryPanel, m_schedulePanel}) panel->showTable(tables);
}

QString StrategyPage::copyText() const {
    QString text;
    for (const TableData& table : tables()) text += table.name + QLatin1Char('\n') + tabText(table) + QLatin1Char('\n');
    return text;
}

QList<TableData> StrategyPage::tables() const {
    return {placementTable(m_scene), memoryTable(m_scene), curvesTable(m_scene), meshTable(m_scene),
            scheduleTable(m_scene),  linksTable(m_scene),  m_choices->table()};
}

}  // namespace ringside
