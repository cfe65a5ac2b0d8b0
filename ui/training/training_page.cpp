// SPDX-License-Identifier: GPL-3.0-or-later
#include "training/training_page.h"

#include <QGridLayout>
#include <QLabel>
#include <QShortcut>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "export/chart_export.h"
#include "models/run_model.h"
#include "models/start_progress.h"
#include "models/step_cursor.h"
#include "theme/theme.h"
#include "theme/type_length.h"
#include "training/mistake_sentences.h"
#include "watch/findings_panel.h"
#include "words/form_fields.h"

namespace ringside {
namespace {

constexpr int kColumns = 6;          // number of columns of the layout grid; 6, because a row has two or three charts
constexpr int kGroupRows = 3;        // number of rows of the layout grid for each group of charts
constexpr TypePixels kMinChart{94};  // minimum height of a chart without its title and its legend
constexpr TypePixels kMinChartWidth{190};
// maximum height of the findings panel as a fraction of the page's visible height
constexpr double kMaxFindings = 0.45;
// if the curves of a resumed run start below this fraction of their largest x, the x axis starts at 0
constexpr double kStartsNearZero = 0.1;

}  // namespace

TrainingPage::TrainingPage(RunModel& run, Theme& theme, QWidget* parent)
    : Page(QStringLiteral("training"), tr("Training"), parent),
      m_run(run),
      m_theme(theme),
      m_earlier(new EarlierRuns(run, this)) {
    m_tick.setSingleShot(true);
    m_tick.setInterval(0);
    auto* whole = new QVBoxLayout(this);
    whole->setContentsMargins(0, 0, 0, 0);
    whole->setSpacing(Theme::kSpace2);
    m_stack = new QStackedLayout;
    whole->addLayout(m_stack, 1);
    m_stack->addWidget(makeEmpty());
    auto* page = new QWidget;
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(Theme::kSpace2);
    m_tools = new TrainingToolRow;
    layout->addWidget(m_tools);
    m_mistakes = new QLabel;
    m_mistakes->setObjectName(QStringLiteral("mistakesLabel"));
    m_mistakes->setProperty("role", "note");
    m_mistakes->setProperty("tone", "warning");
    m_mistakes->setWordWrap(true);
    m_mistakes->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_mistakes->hide();
    layout->addWidget(m_mistakes);
    layout->addWidget(makeCharts(), 1);
    m_stack->addWidget(page);
    connect(&m_tick, &QTimer::timeout, this, &TrainingPage::redraw);
    // Redraws at each change: RunModel emits changed() at most every 40 ms.
    connect(&run, &RunModel::changed, this, [this] {
        if (isVisible()) redraw();
    });
    connect(&run, &RunModel::watchedChanged, this, [this] {
        if (!m_run.logged().curves().empty()) redrawLater();
    });
    connect(m_earlier, &EarlierRuns::changed, this, [this] {
        m_curves.clear();
        redrawLater();
    });
    auto* logKey = new QShortcut(QKeySequence(Qt::Key_L), this);
    logKey->setContext(Qt::WidgetWithChildrenShortcut);
    connect(logKey, &QShortcut::activated, m_tools, &TrainingToolRow::toggleLogY);
    connect(&run, &RunModel::expectedChanged, this, &TrainingPage::redraw);  // redraws at once after a click on Run
    connect(&theme, &Theme::changed, this, &TrainingPage::redrawLater);
    connect(m_tools, &TrainingToolRow::changed, this, &TrainingPage::redrawLater);
    connect(m_tools, &TrainingToolRow::exportWanted, this, &TrainingPage::chooseExport);
    const auto startOver = [this] {
        m_curves.clear();
        setXRange(std::nullopt);
        redrawLater();
    };
    connect(&run, &RunModel::restarted, this, startOver);
    connect(m_tools, &TrainingToolRow::axisChanged, this, startOver);
    redraw();
}

QWidget* TrainingPage::makeEmpty() {
    auto* panel = new QFrame;
    panel->setProperty("role", "panel");
    auto* layout = new QVBoxLayout(panel);
    layout->setSpacing(Theme::kSpace2);
    m_emptyTitle = new QLabel;
    m_emptyTitle->setProperty("role", "title");
    m_emptyTitle->setObjectName(QStringLiteral("trainingEmptyLabel"));
    m_emptyTitle->setAlignment(Qt::AlignCenter);
    m_emptyHint = new QLabel;
    m_emptyHint->setObjectName(QStringLiteral("trainingEmptyHintLabel"));
    m_emptyHint->setProperty("role", "muted");
    m_emptyHint->setAlignment(Qt::AlignCenter);
    m_emptyHint->setWordWrap(true);
    layout->addStretch(1);
    layout->addWidget(m_emptyTitle);
    layout->addWidget(m_emptyHint);
    layout->addStretch(1);
    return panel;
}

// Shows a text instead of the curves: the progress while a run starts; the reason why a run has no curves; or, without
// a run, the instruction to click Run.
void TrainingPage::showEmpty() {
    const StartProgress start = startProgress(m_run);
    if (!start.title.isEmpty()) {
        m_emptyTitle->setText(start.title);
        m_emptyHint->setText(start.run + QLatin1Char('\n') + start.missingRanks);
    } else if (m_run.data().ended()) {
        m_emptyTitle->setText(tr("No curves were recorded"));
        m_emptyHint->setText(tr("The run ended before its first step: %1")
                                 .arg(inFormWords(QString::fromStdString(m_run.data().ended()->verdict))));
    } else {
        m_emptyTitle->setText(tr("Click Run to see the curves"));
        m_emptyHint->setText(
            tr("Every rank runs in its own process. Loss, accuracy and speed appear here step by step."));
    }
}

QWidget* TrainingPage::makeCharts() {
    m_charts = new QWidget;
    m_charts->setObjectName(QStringLiteral("chartsArea"));
    auto* grid = new QGridLayout(m_charts);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setSpacing(Theme::kSpace3);
    m_loss = new ChartPanel(tr("Loss"), QStringLiteral("loss"), m_theme);
    m_accuracy = new ChartPanel(tr("Accuracy"), QStringLiteral("accuracy"), m_theme);
    m_throughput = new ChartPanel(tr("Samples per second"), QStringLiteral("throughput"), m_theme);
    m_gradient = new ChartPanel(tr("Gradient norm"), QStringLiteral("gradientNorm"), m_theme);
    m_rate = new ChartPanel(tr("Learning rate"), QStringLiteral("learningRate"), m_theme);
    m_phases = new ChartPanel(tr("Time per step by phase, ms"), QStringLiteral("phases"), m_theme);
    for (ChartPanel* panel : panels()) panel->setParent(m_charts);
    m_logged = new LoggedPanel(m_theme, m_charts);
    connect(m_logged, &LoggedPanel::chartChosen, this, &TrainingPage::redrawLater);
    placeCharts();
    for (int column = 0; column < kColumns; ++column) grid->setColumnStretch(column, 1);
    followType(*m_charts, [this] {
        for (ChartPanel* panel : panels()) panel->chart().setMinimumHeight(kMinChart);
        m_logged->chart().setMinimumHeight(kMinChart);
    });
    m_throughput->chart().setYFromZero(true);
    m_rate->chart().setYFromZero(true);
    m_phases->chart().setYFromZero(true);
    m_phases->chart().setIgnoreOutliers(true);  // excludes the first step, which allocates memory and takes much longer
    for (ChartPanel* panel : panels()) {
        connectChart(panel);
    }
    m_loss->chart().setPointsClickable(
        tr("Click a point to see the contribution of each rank and its samples to the step"));
    connect(&m_loss->chart(), &LiveChart::pointClicked, this, &TrainingPage::clickLoss);
    return m_charts;
}

void TrainingPage::clickLoss(double x) {
    if (const auto step = stepNear(x)) Q_EMIT stepClicked(*step);
}

// Returns the step of the shown run whose position is nearest to `x`; empty if the run has no step. Does not return
// steps of the earlier runs of a resumed run.
std::optional<std::int64_t> TrainingPage::stepNear(double x) const {
    const RunParts all = parts();
    const auto points = all.back().run->curves().loss().points();
    const SeriesPoint* nearest = nullptr;
    const auto distance = [&](const SeriesPoint& one) {
        return std::abs(xOverAllParts(all.back(), one, m_tools->xAxis()) - x);
    };
    for (const SeriesPoint& one : points)
        if (!nearest || distance(one) < distance(*nearest)) nearest = &one;
    return nearest ? std::optional(nearest->step) : std::nullopt;
}

std::vector<Identity> TrainingPage::identitiesAt(const QPoint& point) const {
    for (const ChartPanel* panel : panels()) {
        LiveChart& chart = const_cast<ChartPanel*>(panel)->chart();
        if (!chart.isVisible()) continue;
        const QPoint place = chart.mapFrom(this, point);
        const auto x = chart.valueAt(place);
        const auto step = x ? stepNear(*x) : std::nullopt;
        if (!step) continue;
        std::vector<Identity> found;
        if (const Curve* curve = chart.curveAt(place); curve != nullptr && curve->rank >= 0)
            found.push_back({IdentityKind::Rank, curve->rank});
        found.push_back({IdentityKind::Step, *step});
        return found;
    }
    return {};
}

void TrainingPage::connectChart(ChartPanel* panel) {
    LiveChart& chart = panel->chart();
    chart.setXText([this](double x) { return axisPositionText(parts(), m_tools->xAxis(), x); });
    connect(&chart, &LiveChart::crosshairMoved, this, [this](std::optional<double> x) {
        m_pointed = x.has_value();
        showCrosshair(x ? x : cursorX());
    });
    connect(&chart, &LiveChart::xRangeChosen, this, &TrainingPage::setXRange);
}

void TrainingPage::setXRange(std::optional<AxisRange> range) {
    for (ChartPanel* panel : panels()) panel->chart().setXRange(range);
}

void TrainingPage::setFindings(FindingsPanel* panel) {
    m_findings = panel;
    static_cast<QVBoxLayout*>(layout())->insertWidget(0, panel);
}

void TrainingPage::resizeEvent(QResizeEvent* event) {
    Page::resizeEvent(event);
    placeCharts();
    const int visible = parentWidget() ? parentWidget()->height()
                                       : height();  // the visible height, because the page scrolls in a small window
    if (m_findings) m_findings->setMostHeight(static_cast<int>(kMaxFindings * visible));
}

void TrainingPage::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    redraw();
}

void TrainingPage::redrawLater() {
    if (isVisible() && !m_tick.isActive()) {
        m_tick.start();
    }
}

// True if the curves of the panel are smoothed. Learning rates and phase times never are. Speeds are smoothed if there
// are more than kFewRates (40) points, because each of them is already a mean.
bool TrainingPage::isSmoothed(const ChartPanel* panel) const {
    constexpr std::size_t kFewRates = 40;
    if (panel == m_throughput) return m_run.data().curves().throughput().points().size() > kFewRates;
    return panel != m_rate && panel != m_phases;
}

RunParts TrainingPage::parts() const {
    return partsOf(m_earlier->runs(), m_run.data());
}

void TrainingPage::redraw() {
    const RunData& run = m_run.data();
    const RunParts parts = this->parts();
    const XAxis axis = m_tools->xAxis();
    const bool hasPoints =
        !run.curves().loss().points().empty() || !run.validationEpochs().empty() || !m_run.logged().curves().empty();
    const bool nothing = m_run.expected() || !hasPoints;
    m_stack->setCurrentIndex(nothing ? 0 : 1);
    if (nothing) return showEmpty();
    const QString mistakes = mistakeSentences(run);
    m_mistakes->setVisible(!mistakes.isEmpty());
    m_mistakes->setText(mistakes);
    std::vector<ChartFlag> flags;
    for (const double seam : resumePositions(parts, axis)) flags.push_back({seam, tr("resumed")});
    for (const double restart : restartPositions(parts, axis)) flags.push_back({restart, tr("restarted")});
    for (ChartPanel* panel : panels()) {
        panel->chart().setSmoothing(isSmoothed(panel) ? m_tools->smoothing() : 0);
        panel->setXTitle(m_tools->xAxisName());
        panel->chart().setStyles(m_tools->xStyle(), panel == m_accuracy ? NumberStyle::Percent : NumberStyle::Plain);
        panel->chart().setFlags(flags);
    }
    m_throughput->chart().setEmptyText(run.ended() ? tr("The run was too short to measure its speed")
                                                   : tr("Measuring the speed over the next steps"));
    m_loss->chart().setLogY(m_tools->logY());
    m_loss->chart().setIgnoreOutliers(m_tools->ignoreOutliers());
    m_gradient->chart().setLogY(m_tools->logY());
    std::vector<Curve> loss = lossCurves(m_curves, parts, axis, m_tools->fanOut(), m_theme);
    const AxisRange whole = wholeRange(loss);
    // The x axes begin at 0, or at the first step of a resumed run if this step is far from 0.
    const auto& first = parts.front().run->started();
    const bool isResumed = first && first->stepsBefore > 0;
    const bool fromZero = !isResumed || whole.minimum < kStartsNearZero * whole.maximum;
    for (ChartPanel* panel : panels()) panel->chart().setXFromZero(fromZero);
    m_loss->setCurves(std::move(loss), whole);
    m_accuracy->setCurves(accuracyCurves(m_curves, parts, axis, m_tools->fanOut(), m_theme), whole);
    m_throughput->setCurves(throughputCurves(m_curves, parts, axis, m_theme), whole);
    m_gradient->setCurves(gradientNormCurves(m_curves, parts, axis, m_theme), whole);
    m_rate->setCurves(learningRateCurves(m_curves, parts, axis, m_theme), whole);
    m_logged->chart().setSmoothing(m_tools->smoothing());
    m_logged->setCurvesOf(m_run.logged());
    m_phases->setCurves(phaseCurves(parts, axis, m_theme), whole);
    placeCharts();
    if (!m_pointed && m_cursor != nullptr && m_cursor->step()) showCrosshair(cursorX());
}

void TrainingPage::followStep(const StepCursor& cursor) {
    m_cursor = &cursor;
    connect(&cursor, &StepCursor::changed, this, [this] { showCrosshair(cursorX()); });
}

void TrainingPage::showCrosshair(std::optional<double> x) {
    for (ChartPanel* panel : panels()) panel->chart().setCrosshair(x);
}

std::optional<double> TrainingPage::cursorX() const {
    if (m_cursor == nullptr || !m_cursor->step()) return {};
    const RunParts all = parts();
    const auto points = all.back().run->curves().loss().points();
    const auto at = std::ranges::lower_bound(points, *m_cursor->step(), {}, &SeriesPoint::step);
    if (at == points.end()) return {};
    return xOverAllParts(all.back(), *at, m_tools->xAxis());
}

// Places the charts in three groups, one below the other. Charts without curves are left out: regression, for example,
// has no accuracy.
void TrainingPage::placeCharts() {
    // chart of the phase times; empty if the run has no traced steps, because only these contain the times
    std::vector<ChartPanel*> phases;
    if (!m_phases->chart().curves().empty()) phases.push_back(m_phases);
    m_phases->setVisible(!phases.empty());
    place(0, 9,
          {m_loss, m_accuracy, m_logged});  // accuracy: not for regression; logged values: only for watched scripts
    place(1, 5, {m_throughput, m_gradient, m_rate});
    place(2, 5, phases);
}

// Places the charts of a group side by side or, in a narrow page, in several rows. Omits charts without curves, except
// the first chart.
void TrainingPage::place(int group, int stretch, const std::vector<ChartPanel*>& panels) {
    auto* grid = static_cast<QGridLayout*>(m_charts->layout());
    std::vector<ChartPanel*> shown;
    for (ChartPanel* panel : panels) {
        const bool shows = panel == panels.front() || !panel->chart().curves().empty();
        panel->setVisible(shows);
        if (shows) shown.push_back(panel);
    }
    const int room = std::max(1, width() / kMinChartWidth);
    const int perRow = std::min<int>(room, static_cast<int>(shown.size()));
    for (int row = 0; row < kGroupRows; ++row)
        grid->setRowStretch(kGroupRows * group + row, row * perRow < static_cast<int>(shown.size()) ? stretch : 0);
    for (int i = 0; i < static_cast<int>(shown.size()); ++i) {
        const int row = kGroupRows * group + i / perRow;
        const int inRow = std::min(perRow, static_cast<int>(shown.size()) - i / perRow * perRow);
        const int span = kColumns / inRow, column = i % perRow * span;
        int wasRow = -1, wasColumn = -1, rows = 0, columns = 0;
        ChartPanel* panel = shown[static_cast<std::size_t>(i)];
        const int index = grid->indexOf(panel);
        if (index >= 0) grid->getItemPosition(index, &wasRow, &wasColumn, &rows, &columns);
        if (wasRow == row && wasColumn == column && columns == span) continue;
        if (index >= 0) grid->removeWidget(panel);
        grid->addWidget(panel, row, column, 1, span);
    }
}

TableData TrainingPage::table() const {
    QList<QStringList> rows;
    for (ChartPanel* panel : panels())
        for (const QStringList& row : panel->chart().tableRows()) rows << QStringList(panel->title()) + row;
    const QString logged = tr("%1 (x: step of the script)").arg(m_logged->title());
    for (const QStringList& row : m_logged->chart().tableRows()) rows << QStringList(logged) + row;
    return tableOf(QStringLiteral("training"),
                   {QStringLiteral("chart"), QStringLiteral("series"), m_tools->xAxisName(), QStringLiteral("value"),
                    QStringLiteral("minimum"), QStringLiteral("maximum"), QStringLiteral("smoothed")},
                   std::move(rows));
}

void TrainingPage::exportTo(const QString& file) {
    if (m_writing.isBusy()) {
        Q_EMIT failed(
            tr("%1 was not exported, because another file is still being written. Export it again afterwards.")
                .arg(file));
        return;
    }
    const bool isTable = file.endsWith(QStringLiteral(".csv"), Qt::CaseInsensitive);
    using Write = std::function<QString(const LatestWork::Stop& stop)>;
    const Write write =
        isTable ? Write([table = this->table(), file](const auto& stop) { return writeCsv(table, file, stop); })
                : Write([write = pictureWriter(*m_charts, file)](const auto&) { return write(); });
    m_writing.requestLatest(this, write, [this, file](const QString& problem) {
        if (problem.isEmpty()) {
            Q_EMIT saved(tr("Saved %1").arg(file));
        } else {
            Q_EMIT failed(tr("Not exported: %1").arg(problem));
        }
    });
}

void TrainingPage::chooseExport(const QString& suffix) {
    Q_EMIT savePathWanted(QStringLiteral("training.") + suffix, QStringLiteral("*.") + suffix,
                          [this](const QString& file) { exportTo(file); });
}

}  // namespace ringside
