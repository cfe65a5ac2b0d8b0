// SPDX-License-Identifier: GPL-3.0-or-later
// The part of MainWindow that says what stands where.
#include <QHBoxLayout>
#include <QStatusBar>
#include <QVBoxLayout>
#include <utility>

#include "controls/elided_label.h"
#include "diagnostics/debug_overlay.h"
#include "experiment/experiment_form.h"
#include "main_window/log_panel.h"
#include "main_window/main_window.h"
#include "main_window/page_tabs.h"
#include "main_window/paint_stages.h"
#include "main_window/status_panel.h"
#include "main_window/top_bar.h"
#include "ranks/rank_strip.h"
#include "settings/settings.h"
#include "shards/page/shards_page.h"
#include "theme/theme.h"
#include "training/training_page.h"

namespace ringside {
namespace {

constexpr int kFormWidth = 312;
constexpr int kLogHeight = 96;
constexpr QSize kLeastPages{420, 260};  // smaller than the pages ask for: notice and log must fit a small screen

// A dock without a title bar of its own: the panels inside carry their titles.
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
    m_notice = new NoticeBar(this);
    m_pages = new PageTabs(this);
    m_pages->setObjectName(QStringLiteral("pagesTabWidget"));
    m_pages->setAccessibleName(tr("Pages"));
    m_pages->setDocumentMode(true);
    m_pages->setMinimumSize(kLeastPages);
    addPages();
    auto* centre = new QWidget(this);
    auto* column = new QVBoxLayout(centre);
    column->setContentsMargins(0, Theme::kSpace1, Theme::kSpace3, 0);
    column->setSpacing(Theme::kSpace1);
    column->addWidget(m_notice);
    column->addWidget(m_pages, 1);
    setCentralWidget(centre);
    centre->setFocus();  // no control looks chosen before the user chose one

    setCorner(Qt::BottomLeftCorner, Qt::BottomDockWidgetArea);
    setCorner(Qt::BottomRightCorner, Qt::BottomDockWidgetArea);
    m_experimentDock = addExperimentDock();
    m_logDock = addLogDock();
    addRankDock();
    statusBar()->setSizeGripEnabled(false);
    auto* status = new StatusPanel(m_experiment, m_run, m_controller, this);
    connect(status, &StatusPanel::computeClicked, m_actions.devices, &QAction::trigger);
    statusBar()->addWidget(status, 1);
    addDebugOverlay();
    addPaintStages();
    resize(1280, 800);
    m_firstLayout = saveState();
}

void MainWindow::addPages() {
    addPage(tr("Shards"), QStringLiteral("shards"),
            m_shards = new ShardsPage(m_experiment, m_plan, m_run, m_services.theme, this));
    connect(m_shards, &ShardsPage::reportSamplesWanted, &m_controller, &RunController::reportSamplesOnce);
    auto* training = new TrainingPage(m_run, m_services.theme, this);
    addPage(tr("Training"), QStringLiteral("training"), training);
    connect(training, &TrainingPage::exported, m_notice, &NoticeBar::takeBackFailure);
    connect(training, &TrainingPage::failed, m_notice,
            [this](const QString& message) { m_notice->say(message, NoticeBar::Tone::Danger); });
}

void MainWindow::addDebugOverlay() {
    if (m_services.eventTimes == nullptr) return;
    m_overlay = new DebugOverlay(
        *m_services.eventTimes, [this] { return m_shards->figures(); }, m_pages);
}

// Other data and another number of ranks change all of the window.
void MainWindow::addPaintStages() {
    auto* stages = new PaintStages(*this, m_shards->paintParts() << m_form << m_ranks, this);
    stages->beginWhenShown();
    connect(&m_experiment, &ExperimentModel::dataChanged, stages, &PaintStages::begin);
    connect(&m_experiment, &ExperimentModel::configChanged, stages, [this, stages, before = std::int64_t{0}]() mutable {
        const std::int64_t now = m_experiment.config().parallel.worldSize;
        if (std::exchange(before, now) != now) stages->begin();
    });
}

bool MainWindow::isSettled() const {
    return m_pages->currentWidget() != m_shards || m_shards->isSettled();
}

void MainWindow::addPage(const QString& title, const QString& name, QWidget* page) {
    page->setObjectName(name + QStringLiteral("Page"));
    const int index = m_pages->addTab(page, title);
    m_actions.addPage(title, index + 1, [this, index] { m_pages->setCurrentIndex(index); });
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
    m_form = new ExperimentForm(m_experiment, panel);
    column->addWidget(m_form, 1);

    auto* frame = new QWidget(this);
    auto* whole = new QVBoxLayout(frame);
    whole->setContentsMargins(Theme::kSpace3, Theme::kSpace3, Theme::kSpace1, 0);
    whole->addWidget(panel);
    frame->setFixedWidth(kFormWidth);
    QDockWidget* dock = plainDock(tr("Experiment"), "experimentDock", frame, this);
    addDockWidget(Qt::LeftDockWidgetArea, dock);
    return dock;
}

QDockWidget* MainWindow::addLogDock() {
    auto* log = new LogPanel(m_run, m_services.theme, this);
    log->setMinimumHeight(kLogHeight);
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
    m_pages->setCurrentIndex(0);
}

}  // namespace ringside
