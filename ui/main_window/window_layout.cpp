// SPDX-License-Identifier: GPL-3.0-or-later
// The part of MainWindow that says what stands where.
#include <QCoreApplication>
#include <QHBoxLayout>
#include <QStatusBar>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "controls/elided_label.h"
#include "controls/focus_ring.h"
#include "diagnostics/debug_overlay.h"
#include "dialogs/dialogs.h"
#include "experiment/experiment_form.h"
#include "identity/table_copy.h"
#include "main_window/identity_menu.h"
#include "main_window/main_window.h"
#include "main_window/paint_stages.h"
#include "main_window/top_bar.h"
#include "pages/page_tabs.h"
#include "ranks/rank_strip.h"
#include "replicas/replicas_page.h"
#include "settings/settings.h"
#include "shards/page/shards_page.h"
#include "status/log_panel.h"
#include "status/status_panel.h"
#include "strategy/page/strategy_page.h"
#include "theme/theme.h"
#include "theme/type_length.h"
#include "timeline/page/timeline_page.h"
#include "training/training_page.h"

namespace ringside {
namespace {

constexpr TypePixels kFormWidth{312};
constexpr int kNormalForm = 312;
constexpr double kMostForm = 0.4;  // share of the window's width with larger type
constexpr TypePixels kLogHeight{96};
constexpr QSize kLeastPages{420, 190};  // smaller than the pages ask for: notice and log must fit a small screen

// Returns a dock without a title bar, because the panels inside have titles.
QDockWidget* plainDock(const QString& title, const char* name, QWidget* content, QMainWindow* window) {
    auto* dock = new QDockWidget(title, window);
    dock->setObjectName(QString::fromLatin1(name));
    dock->setTitleBarWidget(new QWidget(dock));
    dock->setFeatures(QDockWidget::NoDockWidgetFeatures);
    dock->setWidget(content);
    return dock;
}

}  // namespace

void MainWindow::buildLayout() {
    setObjectName(QStringLiteral("mainWindow"));
    m_topBar = new TopBar(m_actions, m_plan, m_services.theme, this);
    setMenuWidget(m_topBar);
    // created before the pages, so that Tab goes from the bar to the form and then to the page
    m_experimentDock = addExperimentDock();
    m_notice = new NoticeBar(this);
    m_tabs = new PageTabs(this);
    m_tabs->setObjectName(QStringLiteral("pagesTabWidget"));
    m_tabs->setAccessibleName(tr("Pages"));
    m_tabs->setDocumentMode(true);
    m_tabs->setMinimumSize(kLeastPages);
    m_navigator = new Navigator(*m_tabs, this);
    addPages();
    connectPages();
    auto* centre = new QWidget(this);
    auto* column = new QVBoxLayout(centre);
    column->setContentsMargins(0, Theme::kSpace1, Theme::kSpace3, 0);
    column->setSpacing(Theme::kSpace1);
    column->addWidget(m_notice);
    column->addWidget(m_tabs, 1);
    setCentralWidget(centre);
    centre->setFocus();  // no control has the focus before the user chooses one

    setCorner(Qt::BottomLeftCorner, Qt::BottomDockWidgetArea);
    setCorner(Qt::BottomRightCorner, Qt::BottomDockWidgetArea);
    m_logDock = addLogDock();
    addRankDock();
    statusBar()->setSizeGripEnabled(false);
    auto* status = new StatusPanel(m_experiment, m_run, m_controller, this);
    connect(status, &StatusPanel::computeClicked, m_actions.devices, &QAction::trigger);
    statusBar()->addWidget(status, 1);
    new FocusRing(*this);
    addDebugOverlay();
    addPaintStages();
    resize(1280, 800);
    m_firstLayout = saveState();
}

// Adds all pages, one line each, in the order of the tabs.
void MainWindow::addPages() {
    Theme& theme = m_services.theme;
    auto* shards = new ShardsPage(m_experiment, m_plan, m_run, theme, this);
    connect(shards, &ShardsPage::reportSamplesWanted, &m_controller, &RunController::reportSamplesOnce);
    m_navigator->add(shards);
    auto* training = new TrainingPage(m_run, theme, this);
    training->followStep(m_stepCursor);
    m_watch.addFindings(*training);
    m_navigator->add(training);
    auto* timeline = new TimelinePage(m_run, m_stepCursor, theme, m_services.controlProgram, this);
    connect(timeline, &TimelinePage::recordWanted, &m_controller, [this](int steps) {
        m_controller.sendCommand({ControlKind::kRecord, static_cast<double>(steps)});
    });
    m_navigator->add(timeline);
    m_timeline = timeline;
    m_navigator->add(new StrategyPage(m_experiment, m_run, theme, m_services.controlProgram, this));
    auto* replicas = new ReplicasPage(m_run, theme, this);
    connect(replicas, &ReplicasPage::inspectionWanted, this, [this](int steps) {
        m_controller.sendCommand({ControlKind::kReplicas, static_cast<double>(steps)});
    });
    m_navigator->add(replicas);
    connect(training, &TrainingPage::stepClicked, replicas, [this, replicas](qint64 step) {
        m_stepCursor.choose(step);
        m_navigator->show(QStringLiteral("replicas/contribution"));
        replicas->showStep(step);
    });
    connect(&m_stepCursor, &StepCursor::changed, shards, [this, shards] {
        const auto& started = m_run.data().started();
        const auto step = m_stepCursor.step();
        const std::int64_t perEpoch = started ? std::max<std::int64_t>(started->stepsPerEpoch, 1) : 1;
        shards->showStep(step, step ? (*step - 1) / perEpoch : 0, false);
    });
    const auto showSamples = [this, shards](qint64 step, qint64 epoch) {
        m_stepCursor.choose(step);
        m_navigator->show(QStringLiteral("shards/grid"));
        shards->showStep(step, epoch, true);
    };
    m_identityMenu = new IdentityMenu({m_plan, m_run, m_stepCursor, *m_navigator, *shards, *timeline, *training}, this);
    QCoreApplication::instance()->installEventFilter(new TableCopy(this));
    connect(m_identityMenu, &IdentityMenu::explanationWanted, this, &MainWindow::showHelp);
    connect(timeline, &TimelinePage::samplesWanted, shards, showSamples);
    connect(replicas, &ReplicasPage::samplesWanted, shards, showSamples);
}

void MainWindow::connectPages() {
    for (const Page* page : m_navigator->pages()) {
        m_actions.addPage(page->title(), [this, name = page->name()] {
            m_navigator->show(name);
            m_navigator->focusPage();
        });
    }
    for (Page* page : m_navigator->pages()) {
        for (const Page::View& view : page->views()) {
            m_actions.addView(tr("%1: %2").arg(page->title(), view.title), view.words,
                              [this, place = page->name() + QLatin1Char('/') + view.name] {
                                  m_navigator->show(place);
                                  m_navigator->focusPage();
                              });
        }
    }
    connect(m_navigator, &Navigator::savePathWanted, this,
            [this](const QString& suggestion, const QString& filter, const PathTaken& taken) {
                m_services.dialogs.saveFile(tr("Save"), suggestion, filter, taken);
            });
    connect(m_navigator, &Navigator::openPathWanted, this,
            [this](const QString& title, const QString& filter, const PathTaken& taken) {
                m_services.dialogs.openFile(title, {}, filter, taken);
            });
    connect(m_navigator, &Navigator::saved, this, &MainWindow::showSaved);
    connect(m_navigator, &Navigator::failed, m_notice,
            [this](const QString& sentence) { m_notice->say(sentence, NoticeBar::Tone::Danger); });
}

void MainWindow::addDebugOverlay() {
    if (m_services.eventTimes == nullptr) return;
    m_overlay = new DebugOverlay(
        *m_services.eventTimes, [this] { return m_navigator->current().figures(); }, m_tabs);
}

// Registers the parts that are redrawn when the data or the number of ranks changes.
void MainWindow::addPaintStages() {
    QList<QWidget*> parts;
    for (const Page* page : m_navigator->pages()) parts << page->paintParts();
    auto* stages = new PaintStages(*this, parts << m_form << m_ranks, this);
    m_paintStages = stages;
    stages->beginWhenShown();
    connect(&m_experiment, &ExperimentModel::dataChanged, stages, &PaintStages::begin);
    connect(&m_experiment, &ExperimentModel::configChanged, stages, [this, stages, before = std::int64_t{0}]() mutable {
        const std::int64_t now = m_experiment.config().parallel.worldSize;
        if (std::exchange(before, now) != now) stages->begin();
    });
}

bool MainWindow::isDrawn() const {
    return m_paintStages->isDone();
}

QDockWidget* MainWindow::addExperimentDock() {
    auto* panel = new QFrame(this);
    panel->setProperty("role", "panel");
    auto* column = new QVBoxLayout(panel);
    column->setContentsMargins(1, Theme::kSpace3, 1, 1);
    column->setSpacing(Theme::kSpace2);
    auto* header = new QHBoxLayout;
    header->setContentsMargins(Theme::kSpace4 - 1, 0, Theme::kSpace4 - 1, 0);
    auto* title = new QLabel(tr("Experiment"), panel);
    title->setProperty("role", "title");
    auto* file = new ElidedLabel(panel, Qt::ElideMiddle);
    file->setObjectName(QStringLiteral("fileNameLabel"));
    file->setProperty("role", "muted");
    m_fileName = file;
    header->addWidget(title);
    header->addStretch(1);
    header->addWidget(file, 4);
    column->addLayout(header);
    m_changes = new QLabel(panel);
    m_changes->setObjectName(QStringLiteral("changesLabel"));
    m_changes->setProperty("role", "note");
    m_changes->setProperty("tone", "warning");
    m_changes->setWordWrap(true);
    m_changes->setContentsMargins(Theme::kSpace4 - 1, 0, Theme::kSpace4 - 1, 0);
    m_changes->hide();
    column->addWidget(m_changes);
    m_applyNow = new QPushButton(panel);
    m_applyNow->setObjectName(QStringLiteral("applyNowButton"));
    m_applyNow->hide();
    connect(m_applyNow, &QPushButton::clicked, this, &MainWindow::applyNow);
    auto* apply = new QHBoxLayout;
    apply->setContentsMargins(Theme::kSpace4 - 1, 0, Theme::kSpace4 - 1, 0);
    apply->addWidget(m_applyNow);
    apply->addStretch(1);
    column->addLayout(apply);
    m_form = new ExperimentForm(m_experiment, panel);
    column->addWidget(m_form, 1);

    auto* frame = new QWidget(this);
    auto* whole = new QVBoxLayout(frame);
    whole->setContentsMargins(Theme::kSpace3, Theme::kSpace3, Theme::kSpace1, 0);
    whole->addWidget(panel);
    m_watch.addPanel(*frame, panel);
    m_formFrame = frame;
    followType(*frame, [this] { sizeForm(); });
    QDockWidget* dock = plainDock(tr("Experiment"), "experimentDock", frame, this);
    addDockWidget(Qt::LeftDockWidgetArea, dock);
    return dock;
}

// With larger type the form is wider, within limits: the page beside it needs room, too.
void MainWindow::sizeForm() {
    const int most = std::max(kNormalForm, static_cast<int>(kMostForm * width()));
    m_formFrame->setFixedWidth(std::min<int>(kFormWidth, most));
}

QDockWidget* MainWindow::addLogDock() {
    auto* log = new LogPanel(m_run, m_services.theme, this);
    followType(*log, [log] { log->setMinimumHeight(kLogHeight); });
    QDockWidget* dock = plainDock(tr("Log"), "logDock", log, this);
    addDockWidget(Qt::BottomDockWidgetArea, dock);
    dock->hide();
    return dock;
}

void MainWindow::addRankDock() {
    auto* frame = new QWidget(this);
    auto* column = new QVBoxLayout(frame);
    column->setContentsMargins(Theme::kSpace3, Theme::kSpace1, Theme::kSpace3, Theme::kSpace1);
    m_ranks = new RankStrip(m_experiment, m_run, m_services.theme, frame);
    auto* source = new QLabel(m_ranks->source(), frame);
    source->setObjectName(QStringLiteral("rankSourceLabel"));
    source->setProperty("role", "note");
    source->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    connect(m_ranks, &RankStrip::sourceChanged, source, &QLabel::setText);
    column->setSpacing(2);
    column->addWidget(source);
    column->addWidget(m_ranks);
    frame->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
    QDockWidget* dock = plainDock(tr("Ranks"), "rankDock", frame, this);
    addDockWidget(Qt::BottomDockWidgetArea, dock);
    splitDockWidget(m_logDock, dock, Qt::Vertical);
}

void MainWindow::resetLayout() {
    restoreState(m_firstLayout);
    m_services.settings.forget(settings::kLayout);
    m_services.settings.forget(settings::kGeometry);
    m_tabs->setCurrentIndex(0);
}

}  // namespace ringside
