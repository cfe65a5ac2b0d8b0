// SPDX-License-Identifier: GPL-3.0-or-later
#include "replicas/replicas_page.h"

#include <QShortcut>
#include <QStackedLayout>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "controls/flow_layout.h"
#include "controls/tone.h"
#include "models/run_model.h"
#include "models/start_progress.h"
#include "replicas/replica_sentences.h"
#include "replicas/replica_table.h"
#include "theme/theme.h"
#include "theme/type_length.h"
#include "words/field_text.h"

namespace ringside {
namespace {

constexpr int kFollowed = 50;
constexpr TypePixels kLegendRoom{120};  // width reserved for the legend beside a chart's title
constexpr TypePixels kChartsHeight{190};
constexpr TypePixels kMinPicture{200};  // minimum height of the large picture
constexpr TypePixels kMinSentence{230};

// True if the run is paused and has been requested, during this pause, to record the gradients of its next step.
bool isInspectionRequested(const RunPauses& pauses) {
    return pauses.isPaused() && pauses.controls().back().command == ControlKind::kReplicas;
}

}  // namespace

ReplicasPage::ReplicasPage(const RunModel& run, Theme& theme, QWidget* parent)
    : Page(QStringLiteral("replicas"), tr("Replicas"), parent), m_run(run), m_theme(theme) {
    auto* whole = new QVBoxLayout(this);
    whole->setContentsMargins(0, 0, 0, 0);
    whole->setSpacing(Theme::kSpace2);
    whole->addWidget(makeToolRow());
    auto* centre = new QFrame;
    centre->setProperty("role", "panel");
    followType(*centre, [centre] { centre->setMinimumHeight(kMinPicture); });
    m_stack = new QStackedLayout(centre);
    m_empty = new EmptyPanel(QStringLiteral("replicas"));
    m_empty->setProperty("role", "clear");
    m_stack->addWidget(m_empty);
    auto* content = new QWidget;
    content->setProperty("role", "clear");
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(Theme::kSpace3, Theme::kSpace2, Theme::kSpace3, Theme::kSpace2);
    column->setSpacing(Theme::kSpace1);
    m_pull = new QLabel;
    m_pull->setObjectName(QStringLiteral("contributionLabel"));
    m_pull->setProperty("role", "muted");
    m_pull->setWordWrap(true);
    column->addWidget(m_pull);
    auto* pictures = new QWidget;
    pictures->setProperty("role", "clear");
    m_pictures = new QStackedLayout(pictures);
    auto* scroll = new QScrollArea;
    scroll->setObjectName(QStringLiteral("gradientsScrollArea"));
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->viewport()->setAutoFillBackground(false);
    m_gradients = new GradientPicture(theme);
    scroll->setWidget(m_gradients);
    m_gradients->setAutoFillBackground(false);
    m_pictures->addWidget(scroll);
    m_pulls = new ContributionPicture(theme);
    connect(m_pulls, &ContributionPicture::samplesWanted, this, &ReplicasPage::samplesWanted);
    m_pictures->addWidget(m_pulls);
    m_ring = new RingPanel(theme);
    m_pictures->addWidget(m_ring);
    for (const auto& [key, by] : {std::pair(Qt::Key_Comma, -1), std::pair(Qt::Key_Period, 1)}) {
        auto* shortcut = new QShortcut(QKeySequence(key), this);
        shortcut->setContext(Qt::WidgetWithChildrenShortcut);
        connect(shortcut, &QShortcut::activated, this, [this, step = by] { m_ring->moveBy(step); });
    }
    m_table = new TablePanel(QStringLiteral("replicas"));
    m_pictures->addWidget(m_table);
    column->addWidget(pictures, 1);
    m_stack->addWidget(content);
    whole->addWidget(centre, 1);
    whole->addWidget(makeCharts());
    connect(&run, &RunModel::changed, this, [this](unsigned changes) {
        constexpr unsigned kOurs =
            kReplicasChanged | kRunStartedChanged | kEndChanged | kControlChanged | kRanksChanged | kConsumedChanged;
        if (changes & kRunStartedChanged) readConfig();
        if (isVisible() && (changes & kOurs)) redraw();
    });
    connect(&run, &RunModel::restarted, this, [this] {
        m_chosen.reset();
        m_config.reset();
        redraw();
    });
    readConfig();
    connect(&theme, &Theme::changed, this, &ReplicasPage::redraw);
    redraw();
}

QPushButton* ReplicasPage::addButton(const QString& text, const QString& tip, const char* name) {
    auto* button = new QPushButton(text);
    button->setObjectName(QLatin1String(name));
    button->setToolTip(tip);
    button->setAccessibleName(text.size() > 1 ? text : tip);
    return button;
}

QWidget* ReplicasPage::makeToolRow() {
    auto* row = new QWidget;
    auto* line = new FlowLayout(row);
    line->setSpacing(Theme::kSpace2);
    m_choice = new SegmentedControl(
        {{tr("Gradients"), tr("Gradient of each rank, mean of these gradients, and weight change"),
          QStringLiteral("gradientsViewButton")},
         {tr("Contribution"), tr("Contribution of each rank and its samples to the step"),
          QStringLiteral("contributionViewButton")},
         {tr("Ring"), tr("The ring all-reduce step by step, with the numbers of this training step"),
          QStringLiteral("ringViewButton")}});
    connect(m_choice, &SegmentedControl::chosen, this, &ReplicasPage::redraw);
    line->addWidget(m_choice);
    m_sentence = new QLabel;
    m_sentence->setObjectName(QStringLiteral("replicasLabel"));
    m_sentence->setWordWrap(true);
    m_sentence->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    followType(*m_sentence, [this] { m_sentence->setMinimumWidth(kMinSentence); });
    line->addWidget(m_sentence);
    m_stage = new QComboBox;
    m_stage->setObjectName(QStringLiteral("replicasStageComboBox"));
    m_stage->setAccessibleName(tr("Pipeline stage"));
    m_stage->setToolTip(tr("The replicas of one stage are compared with each other"));
    m_stage->hide();
    connect(m_stage, &QComboBox::activated, this, &ReplicasPage::redraw);
    line->addWidget(m_stage);
    m_before = addButton(QStringLiteral("\u25c0"), tr("Previous inspected step"), "previousInspectedButton");
    m_stepName = new QLabel;
    m_stepName->setObjectName(QStringLiteral("inspectedStepLabel"));
    m_after = addButton(QStringLiteral("\u25b6"), tr("Next inspected step"), "nextInspectedButton");
    m_inspect =
        addButton(tr("Inspect next step"), tr("Record the gradient of each rank in the next step"), "inspectButton");
    m_follow = addButton(tr("Record %1 steps").arg(kFollowed),
                         tr("For the next %1 steps, record the norm of each rank's gradient and its cosine with the "
                            "mean gradient; for the last of these steps, record the complete gradients, too")
                             .arg(kFollowed),
                         "followButton");
    m_export = new ViewExport(QStringLiteral("replicas"));
    m_export->setView([this] { return table(); },
                      [this]() -> QWidget* {
                          if (m_choice->current() == Ring) return &m_ring->picture();
                          if (m_choice->current() == Contribution) return m_pulls;
                          return m_gradients;
                      });
    m_export->addTable(tr("Save norms and cosines as CSV..."), [this] { return normTable(m_run.data().replicas()); });
    for (QWidget* one : std::initializer_list<QWidget*>{m_before, m_stepName, m_after, m_inspect, m_follow, m_export})
        line->addWidget(one);
    connect(m_before, &QPushButton::clicked, this, [this] { showOtherStep(-1); });
    connect(m_after, &QPushButton::clicked, this, [this] { showOtherStep(1); });
    connect(m_inspect, &QPushButton::clicked, this, [this] {
        m_chosen.reset();
        m_clicked = false;
        Q_EMIT inspectionWanted(1);
    });
    connect(m_follow, &QPushButton::clicked, this, [this] {
        m_chosen.reset();
        m_clicked = false;
        Q_EMIT inspectionWanted(kFollowed);
    });
    connect(m_export, &ViewExport::tableToggled, this, &ReplicasPage::redraw);
    m_export->reportTo(*this);
    return row;
}

QWidget* ReplicasPage::makeCharts() {
    m_charts = new QWidget;
    // Overrides the minimum width of two charts side by side, which would prevent a narrow page. In a narrow page
    // placeCharts() stacks the charts.
    m_charts->setMinimumWidth(1);
    m_chartsLine = new QBoxLayout(QBoxLayout::LeftToRight, m_charts);
    m_chartsLine->setContentsMargins(0, 0, 0, 0);
    m_chartsLine->setSpacing(Theme::kSpace3);
    m_norms = new ChartPanel(tr("Norm of each rank's gradient"), QStringLiteral("rankNorms"), m_theme);
    m_cosines = new ChartPanel(tr("Cosine of local and mean gradient"), QStringLiteral("rankCosines"), m_theme);
    for (ChartPanel* panel : {m_norms, m_cosines}) {
        panel->setXTitle(tr("step"));
        panel->chart().setStyles(NumberStyle::Whole, NumberStyle::Plain);
        panel->chart().setXFromZero(false);
        connect(&panel->chart(), &LiveChart::crosshairMoved, this, [this](std::optional<double> x) {
            for (ChartPanel* one : {m_norms, m_cosines}) one->chart().setCrosshair(x);
        });
        m_chartsLine->addWidget(panel, 1);
    }
    followType(*m_charts, [this] { placeCharts(); });
    m_charts->hide();
    return m_charts;
}

void ReplicasPage::placeCharts() {
    int needed = Theme::kSpace3;
    for (ChartPanel* panel : {m_norms, m_cosines})
        needed += panel->minimumSizeHint().width() + std::min<int>(panel->legend().sizeHint().width(), kLegendRoom);
    const bool beside = width() >= needed;
    m_chartsLine->setDirection(beside ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
    m_charts->setFixedHeight((beside ? 1 : 2) * kChartsHeight);
}

void ReplicasPage::resizeEvent(QResizeEvent* event) {
    Page::resizeEvent(event);
    placeCharts();
}

QList<PageShortcut> ReplicasPage::shortcuts() const {
    return {{QStringLiteral(", / ."), tr("Replicas: previous, next step of the ring")}};
}

QList<Page::View> ReplicasPage::views() const {
    return {{QStringLiteral("gradients"), tr("Gradients"), tr("heat map norms weights change identical")},
            {QStringLiteral("contribution"), tr("Contribution"),
             tr("provenance of a step: its ranks and samples, with share and cosine of each rank")},
            {QStringLiteral("ring"), tr("Ring"), tr("all-reduce collective steps")}};
}

void ReplicasPage::showView(const QString& name) {
    m_choice->setCurrent(name == QStringLiteral("ring")           ? Ring
                         : name == QStringLiteral("contribution") ? Contribution
                                                                  : Gradients);
}

void ReplicasPage::showStep(qint64 step) {
    m_chosen = step;
    m_clicked = true;
    m_choice->setCurrent(Contribution);
    redraw();
}

void ReplicasPage::readConfig() {
    m_config.reset();
    const auto& started = m_run.data().started();
    if (!started) return;
    Problems problems;
    const Result<RunConfig> config = RunConfig::parse(started->config, "run", &problems);
    if (!config) return;
    m_config = config.value();
    m_config->parallel.worldSize = started->worldSize;  // a restart may have reduced the world size
    const Mesh mesh = meshOf(*m_config);
    m_stage->clear();
    for (int stage = 0; mesh.pipeline > 1 && stage < mesh.pipeline; ++stage)
        m_stage->addItem(tr("Stage %1 of %2").arg(stage).arg(mesh.pipeline));
}

bool ReplicasPage::isLive() const {
    return m_run.data().started() && !m_run.data().ended() && !m_run.expected();
}

// Returns why the gradients of this run cannot be inspected; empty if they can.
QString ReplicasPage::reasonForNothing() const {
    if (m_run.isWatched())
        return tr(
            "A watched script trains by its own code, so the gradients of its steps cannot be inspected. Ringside "
            "only compares the checksums of its replicas.");
    return m_config ? reasonForNoReplicas(m_run.data(), *m_config) : QString();
}

std::vector<int> ReplicasPage::shownRanks() const {
    if (m_config) return ranksOfStage(*m_config, std::max(0, m_stage->currentIndex()));
    std::vector<int> all;
    for (std::size_t rank = 0; rank < m_run.data().ranks().size(); ++rank) all.push_back(static_cast<int>(rank));
    return all;
}

void ReplicasPage::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    redraw();
}

// Returns the steps with recorded gradients that the visible picture can show, in ascending order.
QList<std::int64_t> ReplicasPage::choosableSteps() const {
    QList<std::int64_t> all;
    for (const auto& [number, step] : m_run.data().replicas().steps())
        if (m_choice->current() == Contribution || step.hasCells()) all << number;
    return all;
}

std::optional<std::int64_t> ReplicasPage::shownStepNumber() const {
    if (m_chosen) return m_chosen;
    const QList<std::int64_t> all = choosableSteps();
    if (!all.isEmpty()) return all.back();
    return {};
}

const InspectedStep* ReplicasPage::shownStep() const {
    const auto& steps = m_run.data().replicas().steps();
    const auto number = shownStepNumber();
    const auto found = number ? steps.find(*number) : steps.end();
    return found != steps.end() && found->second.hasCells() ? &found->second : nullptr;
}

// Shows the previous (by < 0) or next (by > 0) inspected step relative to the visible step. At the latest step, the
// page follows the run again and shows each new inspected step.
void ReplicasPage::showOtherStep(int by) {
    const QList<std::int64_t> all = choosableSteps();
    const auto number = shownStepNumber();
    if (all.isEmpty() || !number) return;
    m_clicked = false;
    const auto behind = std::ranges::upper_bound(all, *number);
    const auto before = std::ranges::lower_bound(all, *number);
    if (by < 0) {
        m_chosen = before == all.begin() ? all.front() : *std::prev(before);
    } else if (behind == all.end() || *behind == all.back()) {
        m_chosen.reset();
    } else {
        m_chosen = *behind;
    }
    redraw();
}

void ReplicasPage::showTools() {
    const RunData& run = m_run.data();
    const QString why = reasonForNothing();
    for (QPushButton* one : {m_inspect, m_follow}) {
        one->setEnabled(isLive() && why.isEmpty());
        if (!why.isEmpty()) one->setToolTip(why);
    }
    // A sentence about differing replicas has priority over the sentence about the pause.
    const bool apart = run.replicas().state() && !run.replicas().state()->identical;
    const QString held = m_run.expected() || apart ? QString() : pausedSentence(run);
    const Mesh mesh = m_config ? meshOf(*m_config) : Mesh();
    const bool isSingle = m_config && !apart && !reasonForSingleModel(run, *m_config).isEmpty();
    const QString sentence = !held.isEmpty()                ? held
                             : m_run.expected() || isSingle ? QString()
                                                            : replicasSentence(run, mesh);
    const bool isPast = run.ended() && m_run.formDiffers();
    m_sentence->setText(sentence);
    setTone(m_sentence, sentence.isEmpty() || !held.isEmpty() ? "" : apart ? "danger" : isPast ? "" : "good");
    const std::int64_t number = m_run.expected() ? -1 : shownStepNumber().value_or(-1);
    const bool has = number >= 0;
    const QList<std::int64_t> all = choosableSteps();
    m_stepName->setVisible(has);
    m_stepName->setText(has ? tr("step %1").arg(groupedText(number)) : QString());
    for (QPushButton* one : {m_before, m_after}) one->setVisible(has && (all.size() > 1 || m_clicked));
    m_before->setEnabled(has && !all.isEmpty() && all.front() < number);
    m_after->setEnabled(has && !all.isEmpty() && all.back() > number);
    m_stage->setVisible(m_stage->count() > 1 && has);
}

void ReplicasPage::redraw() {
    if (!m_config) readConfig();
    showTools();
    const bool contributions = m_choice->current() == Contribution && shownStepNumber() && m_config;
    const bool has = !m_run.expected() && (contributions || shownStep() != nullptr);
    m_stack->setCurrentIndex(has ? 1 : 0);
    has ? showCurrentView() : showEmpty();
    showCharts();
}

void ReplicasPage::showEmpty() {
    const RunData& run = m_run.data();
    const QString why = reasonForNothing();
    const StartProgress start = startProgress(m_run);
    const bool isThere = run.started() && !m_run.expected();
    if (!start.title.isEmpty() && !(isThere && !why.isEmpty())) {
        m_empty->showMessage(start.title, start.run + QLatin1Char('\n') + start.missingRanks);
    } else if (!isThere) {
        m_empty->showMessage(
            tr("Click Run to see the replicas"),
            tr("Every rank has a copy of the model. This page shows the gradient of each rank before the "
               "all-reduce, the mean after it, and the change of the weights."));
    } else if (!why.isEmpty()) {
        m_empty->showMessage(tr("No gradients to compare"), why);
    } else if (m_chosen && m_config) {
        m_empty->showMessage(tr("Step %1 has no complete gradients").arg(groupedText(*m_chosen)),
                             tr("Complete gradients are recorded only for inspected steps (Inspect next step, slow "
                                "motion, single phases). The gradients of the latest %1 inspected steps are kept. The "
                                "Contribution view shows the other records of this step.")
                                 .arg(ReplicaData::kMaxWholeSteps));
    } else if (run.ended()) {
        m_empty->showMessage(
            tr("No step of this run was inspected"),
            tr("While a run is live, click Inspect next step, or pause (Space) and advance one phase at a time "
               "(Shift+Right). Click a point of the loss curve on the Training page to see the records of its step."));
    } else if (isInspectionRequested(run.pauses())) {
        m_empty->showMessage(tr("The next step will be inspected"),
                             tr("The run is paused. Click Step or Resume: the gradients appear after the next step."));
    } else {
        m_empty->showMessage(
            tr("No step has been inspected yet"),
            tr("Click Inspect next step, or pause (Space) and advance one phase at a time (Shift+Right). "
               "This page then shows the gradients at each pause. In slow motion it shows them in each step."));
    }
}

void ReplicasPage::showContribution() {
    StepContributions contributions = stepContributions(m_run.data(), *m_config, *shownStepNumber(), shownRanks());
    const QString why = reasonForNoReplicas(m_run.data(), *m_config);
    m_pull->setText(contributions.hasGradients ? contributionSentence(contributions)
                    : !why.isEmpty()           ? why
                                               : notInspectedSentence(contributions, isLive()));
    m_pull->setVisible(!m_pull->text().isEmpty());
    m_pulls->setContributions(std::move(contributions));
}

void ReplicasPage::showCurrentView() {
    if (m_config) showContribution();
    if (const InspectedStep* step = shownStep()) {
        m_gradients->setStep(step, shownRanks(), m_run.data().settings().stepPitfalls.sumGradients);
        m_ring->show(*step, shownRanks(), m_run.data());
    }
    constexpr int kTable = 3;
    const bool asTable = m_export->tableShown();
    m_pictures->setCurrentIndex(asTable ? kTable : m_choice->current());
    if (asTable) m_table->setTable(table());
}

void ReplicasPage::showCharts() {
    const ReplicaData& replicas = m_run.data().replicas();
    m_charts->setVisible(!m_run.expected() && replicas.steps().size() > 1);  // a line needs two points
    if (!m_charts->isVisibleTo(this)) return;
    std::vector<Curve> norms, cosines;
    for (const int one : shownRanks()) {
        const auto rank = static_cast<std::size_t>(one);
        if (rank >= replicas.worldSize()) continue;
        const QString name = tr("rank %1").arg(rank);
        const QColor color = m_theme.rankColor(static_cast<int>(rank));
        Curve norm{QStringLiteral("norm.%1").arg(rank), name, color, Curve::Kind::MarkedLine, {}, one};
        Curve cosine{QStringLiteral("cosine.%1").arg(rank), name, color, Curve::Kind::MarkedLine, {}, one};
        for (const auto& [number, step] : replicas.steps()) {
            const auto x = static_cast<double>(number);
            if (step.own[rank]) norm.points.push_back({x, step.own[rank]->norm});
            if (step.mean[rank] && std::isfinite(step.mean[rank]->cosine))
                cosine.points.push_back({x, step.mean[rank]->cosine});
        }
        norms.push_back(std::move(norm));
        cosines.push_back(std::move(cosine));
    }
    const AxisRange whole = wholeRange(norms);
    m_norms->setCurves(std::move(norms), whole);
    m_cosines->setCurves(std::move(cosines), whole);
    placeCharts();  // places the charts again, because the width of the legends may have changed
}

TableData ReplicasPage::table() const {
    if (m_choice->current() == Contribution && m_config && shownStepNumber())
        return contributionTable(m_pulls->contributions());
    const InspectedStep* step = shownStep();
    if (!step) return TableData{QStringLiteral("replicas"), {}, 0, {}};
    if (const auto& ring = m_ring->picture().steps(); m_choice->current() == Ring && ring)
        return ringTable(*ring, step->step);
    return gradientTable(*step);
}

}  // namespace ringside
