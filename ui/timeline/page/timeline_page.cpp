// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/page/timeline_page.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLocale>
#include <QScrollArea>
#include <QVBoxLayout>
#include <algorithm>
#include <memory>

#include "models/run_model.h"
#include "models/start_progress.h"
#include "models/step_cursor.h"
#include "telemetry/data/missing_ranks.h"
#include "theme/theme.h"
#include "theme/type_length.h"
#include "timeline/page/timeline_table.h"
#include "timeline/page/trace_export.h"
#include "words/form_fields.h"

namespace ringside {
namespace {

constexpr TypePixels kSideWidth{300};
constexpr TypePixels kNarrowPage{900};   // in a narrower page, the legend is below the title
constexpr TypePixels kStackedPage{680};  // in a narrower page, the numbers of the step are below the lanes
constexpr TypePixels kMinViews{150}, kMinSide{280};
constexpr int kBarRoom = 12;     // width of the scroll bar of the side panel, in pixels
constexpr int kVerdictMs = 500;  // milliseconds between two updates of the verdict banner
constexpr int kRecordedSteps = 50;

QString stepText(std::int64_t step) {
    return QLocale().toString(static_cast<qlonglong>(step));
}

QFrame* makePanel(const char* name) {
    auto* panel = new QFrame;
    panel->setProperty("role", "panel");
    panel->setObjectName(QLatin1String(name));
    return panel;
}

QLabel* makeTitle(const QString& text, const char* name) {
    auto* label = new QLabel(text);
    label->setProperty("role", "title");
    label->setObjectName(QLatin1String(name));
    return label;
}

}  // namespace

TimelinePage::TimelinePage(RunModel& run, StepCursor& cursor, Theme& theme, const QString& controlProgram,
                           QWidget* parent)
    : Page(QStringLiteral("timeline"), tr("Timeline"), parent), m_run(run), m_theme(theme), m_model(run, cursor) {
    auto* whole = new QWidget(this);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(whole);
    m_stack = new PageStack(whole);
    m_empty = new EmptyPanel(QStringLiteral("timeline"), tr("Trace each of the next %1 steps").arg(kRecordedSteps));
    connect(m_empty, &EmptyPanel::actionWanted, this, &TimelinePage::requestRecording);
    m_whatIf = new WhatIfPanel(m_model, controlProgram);
    m_stack->addWidget(m_empty);
    m_stack->addWidget(makeContent());
    m_verdictLater.setSingleShot(true);
    m_verdictLater.setInterval(kVerdictMs);
    connectParts();
    applyRun();
}

QWidget* TimelinePage::makeContent() {
    m_picture = new QWidget;
    m_picture->setObjectName(QStringLiteral("timelinePicture"));
    auto* rows = new QVBoxLayout(m_picture);
    rows->setContentsMargins(0, 0, 0, 0);
    rows->setSpacing(Theme::kSpace2);
    m_banner = new VerdictBanner;
    m_export = new ViewExport(QStringLiteral("timeline"));
    m_export->setToolTip(tr("Show the visible steps as a table, or save them"));
    m_export->setView([this] { return table(); }, [this] { return m_picture; });
    m_export->addFile(tr("Save all recorded steps for Perfetto..."), QStringLiteral("trace"), QStringLiteral("json"),
                      [this](const QString& file) { return traceWriter(file); });
    m_banner->setExports(m_export);
    rows->addWidget(m_banner);
    m_row = new QBoxLayout(QBoxLayout::LeftToRight);
    m_row->setSpacing(Theme::kSpace2);
    auto* left = new QVBoxLayout;
    left->setSpacing(Theme::kSpace2);
    left->addWidget(makeStrip());
    left->addWidget(makeLanes(), 1);
    m_row->addLayout(left, 1);
    m_side = makeSide();
    m_row->addWidget(m_side);
    rows->addLayout(m_row, 1);
    return m_picture;
}

QWidget* TimelinePage::makeStrip() {
    QFrame* panel = makePanel("stepStripPanel");
    auto* layout = new QVBoxLayout(panel);
    layout->setContentsMargins(Theme::kSpace4, Theme::kSpace2, Theme::kSpace4, Theme::kSpace2);
    layout->setSpacing(0);
    auto* head = new QHBoxLayout;
    head->setSpacing(Theme::kSpace2);
    auto* title = new QLabel(tr("Time per step"));
    title->setProperty("role", "number");
    m_stripNote = new ElidedLabel;
    m_stripNote->setObjectName(QStringLiteral("stepStripNoteLabel"));
    m_stripNote->setProperty("role", "note");
    head->addWidget(title);
    head->addWidget(m_stripNote, 1);
    layout->addLayout(head);
    m_strip = new StepStrip(m_model, m_theme);
    m_strip->setFixedHeight(m_strip->sizeHint().height());
    layout->addWidget(m_strip);
    return panel;
}

QWidget* TimelinePage::makeLanes() {
    QFrame* panel = makePanel("lanesPanel");
    auto* layout = new QVBoxLayout(panel);
    layout->setContentsMargins(Theme::kSpace4, Theme::kSpace3, Theme::kSpace4, Theme::kSpace2);
    layout->setSpacing(Theme::kSpace2);
    m_head = new QGridLayout;
    m_head->setHorizontalSpacing(Theme::kSpace2);
    m_head->setVerticalSpacing(0);
    m_head->setColumnStretch(0, 1);
    m_title = makeTitle({}, "lanesTitleLabel");
    m_live = new QPushButton(tr("Live"));
    m_live->setObjectName(QStringLiteral("liveButton"));
    m_live->setProperty("role", "segment");
    m_legend = new PhaseLegend(m_model, m_theme);
    m_head->addWidget(m_title, 0, 0);
    m_head->addWidget(m_live, 0, 2);
    layout->addLayout(m_head);
    m_clocks = new QLabel;
    m_clocks->setObjectName(QStringLiteral("clocksLabel"));
    m_clocks->setProperty("role", "note");
    m_clocks->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_clocks->setToolTip(tr(
        "Drift of the other hosts' clocks since the start of the run, measured by the shortest round trips of the last "
        "minutes. The times in the lanes are corrected by the drift; the uncertainty is the error that remains."));
    layout->addWidget(m_clocks);
    m_map = new LatenessMap(m_model, m_theme);
    m_lanes = new LanesWidget(m_model, m_theme);
    auto* drawn = new QWidget;
    drawn->setProperty("role", "clear");
    auto* column = new QVBoxLayout(drawn);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_map, 3);
    column->addWidget(m_lanes, 2);
    m_table = new TablePanel(QStringLiteral("timeline"));
    m_views = new QStackedWidget;
    m_views->setProperty("role", "clear");
    m_views->addWidget(drawn);
    m_views->addWidget(m_table);
    layout->addWidget(m_views, 1);
    followType(*panel, [this] { arrange(); });
    return panel;
}

QWidget* TimelinePage::makeSide() {
    auto* inside = new QWidget;
    inside->setProperty("role", "clear");
    auto* column = new QVBoxLayout(inside);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(Theme::kSpace2);
    m_step = new StepPanel(m_model, m_theme);
    column->addWidget(m_step);
    column->addWidget(m_whatIf, 1);
    auto* scroll = new QScrollArea;
    scroll->setObjectName(QStringLiteral("timelineSideArea"));
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setWidget(inside);
    scroll->viewport()->setAutoFillBackground(false);
    inside->setAutoFillBackground(false);
    return scroll;
}

void TimelinePage::connectParts() {
    connect(&m_run, &RunModel::changed, this, [this](unsigned changes) {
        constexpr unsigned kSeen = kTraceChanged | kRunStartedChanged | kRanksChanged | kEndChanged | kControlChanged;
        if (changes & kSeen) applyRun();
    });
    connect(&m_run, &RunModel::restarted, this, [this] {
        m_atTheEnd = false;
        m_confirmedBeforeRecording.reset();
        m_model.setReplay(nullptr);
        m_model.choose({});
        m_model.follow();
        applyRun();
    });
    connect(&m_run, &RunModel::expectedChanged, this, &TimelinePage::applyRun);
    connect(&m_run, &RunModel::formDiffersChanged, this, &TimelinePage::showVerdict);
    connect(&m_verdictLater, &QTimer::timeout, this, &TimelinePage::showVerdict);
    connect(&m_model, &TimelineModel::viewChanged, this, &TimelinePage::showWords);
    connect(&m_model, &TimelineModel::choiceChanged, this, &TimelinePage::showWords);
    connect(&m_model, &TimelineModel::dataChanged, this, &TimelinePage::refresh);
    connect(m_live, &QPushButton::clicked, this, [this] { m_model.follow(); });
    connect(m_banner, &VerdictBanner::recordWanted, this, &TimelinePage::requestRecording);
    connect(m_banner, &VerdictBanner::whatIfWanted, this, [this] {
        m_whatIf->tryWithoutDelay();
        static_cast<QScrollArea*>(m_side)->ensureWidgetVisible(m_whatIf);
    });
    connect(m_whatIf, &WhatIfPanel::outcomeShown, this, [this](QWidget* label) {
        auto* area = static_cast<QScrollArea*>(m_side);
        area->widget()->layout()->activate();  // computes the layout again, because `label` was hidden until now
        area->widget()->adjustSize();
        area->ensureWidgetVisible(label);
    });
    connect(m_step, &StepPanel::samplesWanted, this, &TimelinePage::samplesWanted);
    m_export->reportTo(*this);
    connect(m_export, &ViewExport::tableToggled, this, &TimelinePage::showTable);
    connect(m_table, &TablePanel::rowChosen, this, [this](qint64 row) {
        const QStringList fields = m_table->table().row(row);
        m_model.choose(fields.value(0).toLongLong());
    });
}

void TimelinePage::showLastSteps() {
    m_model.choose({});
    m_model.follow();
}

// Reads the run. While the page is hidden, only moves the view to the end of a run that has failed, so that the page
// opens there.
void TimelinePage::applyRun() {
    const RunData& run = m_run.data();
    const bool failed = run.ended() && run.ended()->state == RunOutcome::kFailed;
    if (failed && !m_atTheEnd) {
        m_atTheEnd = true;
        showLastSteps();
    }
    if (isVisible()) m_model.read();
}

void TimelinePage::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    applyRun();
}

void TimelinePage::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    arrange();
}

// Places the legend below the title in a page narrower than kNarrowPage, and the numbers of the step below the lanes in
// a page narrower than kStackedPage.
void TimelinePage::arrange() {
    m_head->removeWidget(m_legend);
    if (width() < kNarrowPage) {
        m_head->addWidget(m_legend, 1, 0, 1, 3);
    } else {
        m_head->addWidget(m_legend, 0, 1);
    }
    m_views->setMinimumHeight(kMinViews);
    fitSide();
}

// Places the side panel, and makes it wide enough for the columns of the ranks.
void TimelinePage::fitSide() {
    if (m_side == nullptr) return;
    const bool stacked = width() < kStackedPage;
    m_row->setDirection(stacked ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
    const int inside = static_cast<QScrollArea*>(m_side)->widget()->minimumSizeHint().width() + kBarRoom;
    m_side->setMinimumWidth(stacked ? 0 : std::max<int>(kSideWidth, inside));
    m_side->setMaximumWidth(stacked ? QWIDGETSIZE_MAX : m_side->minimumWidth());
    m_side->setMinimumHeight(stacked ? int(kMinSide) : 0);
}

// Handles keys that the buttons do not use.
void TimelinePage::keyPressEvent(QKeyEvent* event) {
    if (!m_lanes->isVisible() || !m_lanes->handleKey(*event)) Page::keyPressEvent(event);
}

// True while a live run has traced only the beginning of its first step, unless ranks have waited in it for a missing
// rank for some seconds. After the end of a run, the beginning shows which rank waited for which.
bool TimelinePage::isBeforeFirstStep() const {
    constexpr std::int64_t kMaxStartUs = 10'000'000;
    const std::optional<MissingRanks> missing = findMissingRanks(m_run.data().ranks());
    const bool isHung = missing && m_run.data().lastTimeUs() - missing->sinceUs >= kMaxStartUs;
    return m_model.isLive() && !isHung &&
           std::ranges::none_of(m_model.trace()->steps(), [](const auto& step) { return step.second.known > 0; });
}

void TimelinePage::refresh() {
    const bool nothing = m_run.expected() || m_model.trace() == nullptr || isBeforeFirstStep();
    m_stack->setCurrentIndex(nothing ? 0 : 1);
    if (nothing) return showEmpty();
    showRecorded();
    m_map->setVisible(m_model.ranks() > LanesWidget::kMaxLanes);
    fitSide();
    if (!m_model.isLive()) {
        showVerdict();
    } else if (!m_verdictLater.isActive()) {
        showVerdict();
        m_verdictLater.start();
    }
    showWords();
}

void TimelinePage::requestRecording() {
    m_confirmedBeforeRecording = m_run.data().pauses().controls().size();
    Q_EMIT recordWanted(kRecordedSteps);
    m_lanes->setFocus();  // moves the focus, because the button that had it becomes disabled
    showWords();
}

// Selects and shows the first step of a requested recording when all its steps are available. The view of a live run
// follows the newest steps, and has moved past the recorded steps by then.
void TimelinePage::showRecorded() {
    if (!m_confirmedBeforeRecording) return;
    const std::vector<Controlled>& controls = m_run.data().pauses().controls();
    const auto begin =
        controls.begin() + static_cast<std::ptrdiff_t>(std::min(*m_confirmedBeforeRecording, controls.size()));
    const auto confirmation =
        std::find_if(begin, controls.end(), [](const Controlled& one) { return one.command == ControlKind::kRecord; });
    if (m_model.recorded() == nullptr) return;
    const auto& steps = m_model.recorded()->steps();
    if (confirmation != controls.end() &&
        steps.rbegin()->first >= confirmation->step + static_cast<std::int64_t>(confirmation->value)) {
        const std::int64_t first = steps.upper_bound(confirmation->step)->first;
        m_confirmedBeforeRecording.reset();
        m_model.choose(first);
        m_model.showSteps(first, first);
    }
    if (!m_model.isLive()) m_confirmedBeforeRecording.reset();
}

void TimelinePage::showEmpty() {
    const RunData& run = m_run.data();
    const StartProgress start = startProgress(m_run);
    if (!start.title.isEmpty())
        return m_empty->showMessage(start.title, start.run + QLatin1Char('\n') + start.missingRanks);
    if (!run.started())
        return m_empty->showMessage(
            tr("Click Run to see inside the steps"),
            tr("Each rank has a lane that shows when it waits for data, computes, waits for other "
               "ranks and transfers bytes. A sentence names the rank that delays the other ranks. To see "
               "the last steps of a finished run, use File > Open run."));
    const Result<RunConfig> config = RunConfig::parse(run.started()->config, "run");
    const TraceLevel trace = config ? config.value().telemetry.trace : TraceLevel::kPhases;
    if (trace == TraceLevel::kOff || trace == TraceLevel::kSteps) {
        return m_empty->showMessage(
            tr("This run's steps are not traced"),
            tr("The run was started with telemetry.trace=%1. Set telemetry.trace=phases to trace all steps.")
                .arg(choiceText(trace)),
            m_model.isLive() ? tr("Record %1 steps").arg(kRecordedSteps) : QString());
    }
    if (run.ended())
        return m_empty->showMessage(tr("This run has no traced steps"),
                                    tr("The run ended before its first step was traced: %1")
                                        .arg(inFormWords(QString::fromStdString(run.ended()->verdict))));
    m_empty->showMessage(tr("No step has finished yet"), tr("The lanes appear after the first traced step."));
}

void TimelinePage::showVerdict() {
    if (m_model.trace() == nullptr) return;
    TimelineVerdict verdict = timelineVerdict(m_model);
    const bool isPast = m_run.data().ended() && m_run.formDiffers();
    if (isPast && verdict.tone == TimelineVerdict::Tone::Good) verdict.tone = TimelineVerdict::Tone::Plain;
    m_banner->setVerdict(verdict);
    m_whatIf->setSuspect(verdict.rank >= 0 ? verdict.rank : m_model.chosenRank());
}

void TimelinePage::showWords() {
    const TraceData* trace = m_model.trace();
    if (trace == nullptr) return;
    const auto [first, last] = m_model.visibleSteps();
    QString title = first == 0          ? tr("No step is visible")
                    : first == last     ? tr("Step %1").arg(stepText(first))
                    : last == first + 1 ? tr("Steps %1 and %2").arg(stepText(first), stepText(last))
                                        : tr("Steps %1 to %2").arg(stepText(first), stepText(last));
    if (m_model.showsReplay()) title += tr(", predicted");
    m_title->setText(title);
    const QString clocks = QString::fromStdString(clocksText(m_run.data().ranks()));
    m_clocks->setVisible(!clocks.isEmpty());
    m_clocks->setText(tr("Clocks: %1").arg(clocks));
    const int ranks = m_model.ranks();
    const QString of = ranks == 1 ? tr("one rank") : tr("mean of %1 ranks").arg(ranks);
    const std::int64_t oldest = trace->steps().begin()->first, newest = trace->steps().rbegin()->first;
    m_stripNote->setWhole(oldest == newest ? tr("%1, step %2").arg(of, stepText(oldest))
                                           : tr("%1, steps %2 to %3, %4 of them traced")
                                                 .arg(of, stepText(oldest), stepText(newest),
                                                      stepText(static_cast<std::int64_t>(trace->steps().size()))));
    const bool live = m_model.isLive();
    m_live->setText(live ? tr("Live") : tr("End"));
    m_live->setToolTip(live ? tr("Keep the newest steps visible") : tr("Go to the last steps"));
    m_live->setAccessibleName(m_live->toolTip());
    m_live->setEnabled(!m_model.follows());
    const QString ended = live ? QString() : tr("Only a live run can be recorded, and this run has ended.");
    m_banner->setRecording(m_run.isWatched() ? tr("A watched script cannot record steps on request: it trains by its "
                                                  "own code. Ringside traces its steps without a request.")
                                             : ended,
                           m_confirmedBeforeRecording.has_value());
    if (m_export->tableShown()) m_table->setTable(table());
}

void TimelinePage::showTable() {
    m_views->setCurrentIndex(m_export->tableShown() ? 1 : 0);
    showWords();
}

TableData TimelinePage::table() const {
    const auto [first, last] = m_model.visibleSteps();
    return timelineTable(m_model.trace(), first, last);
}

ViewExport::Writer TimelinePage::traceWriter(const QString& file) const {
    const TraceData* recorded = m_model.recorded();
    if (recorded == nullptr) return [] { return tr("Not saved: no step was traced."); };
    const auto& started = m_run.data().started();
    const QString name = QString::fromStdString(started ? started->name : std::string());
    return
        [steps = std::make_shared<const TraceData>(*recorded), name, file] { return writeTrace(*steps, name, file); };
}

QList<PageShortcut> TimelinePage::shortcuts() const {
    return {{QStringLiteral("W / S"), tr("Timeline: zoom in, out")},
            {QStringLiteral("A / D"), tr("Timeline: pan left, right")},
            {QStringLiteral("F"), tr("Timeline: show all steps")},
            {QStringLiteral(". / ,"), tr("Timeline: next, previous step")},
            {QStringLiteral("Esc"), tr("Timeline: clear the selection of a step")}};
}

}  // namespace ringside
