// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/whatif/whatif_panel.h"

#include <QHBoxLayout>
#include <QVBoxLayout>
#include <cmath>

#include "controls/tone.h"
#include "theme/theme.h"
#include "timeline/whatif/check_outcome.h"
#include "timeline/whatif/check_plan.h"
#include "words/form_fields.h"
#include "words/phase_text.h"

namespace ringside {
namespace {

constexpr std::size_t kReplayed = 200;  // largest number of recorded steps that are simulated
constexpr int kSoonMs = 30;
constexpr int kLiveMs = 1000;  // least time between two predictions during a live run, in milliseconds
constexpr double kStartSeconds = 2;

QLabel* makeLabel(const char* name, const char* role) {
    auto* label = new QLabel;
    label->setObjectName(QLatin1String(name));
    label->setProperty("role", role);
    label->setWordWrap(true);
    return label;
}

QString timesAsFast(const ReplayResult& result) {
    if (result.predicted <= 0) return {};
    const double times = result.replayed / result.predicted;
    return times >= 1 ? WhatIfPanel::tr("%1 times as fast").arg(times, 0, 'f', times < 10 ? 1 : 0)
                      : WhatIfPanel::tr("%1 times as long").arg(1 / times, 0, 'f', 1);
}

}  // namespace

WhatIfPanel::WhatIfPanel(TimelineModel& model, const QString& controlProgram, QWidget* parent)
    : QFrame(parent), m_model(model), m_check(controlProgram) {
    setProperty("role", "panel");
    setObjectName(QStringLiteral("whatIfPanel"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(Theme::kSpace4, Theme::kSpace3, Theme::kSpace4, Theme::kSpace3);
    column->setSpacing(Theme::kSpace1);
    auto* title = new QLabel(tr("What if ..."));
    title->setProperty("role", "title");
    column->addWidget(title);
    m_predicted = makeLabel("whatIfResultLabel", "headline");
    column->addWidget(m_predicted);
    m_range = makeLabel("whatIfRangeLabel", "note");
    column->addWidget(m_range);
    m_checkResultLabel = makeLabel("checkResultLabel", "small");
    m_checkResultLabel->hide();
    column->addWidget(m_checkResultLabel);
    m_controls = new WhatIfControls;
    column->addWidget(m_controls);
    column->addSpacing(Theme::kSpace1);
    auto* row = new QHBoxLayout;
    row->setSpacing(Theme::kSpace2);
    m_checkButton = new QPushButton(tr("Check by running"));
    m_checkButton->setObjectName(QStringLiteral("proveButton"));
    m_checkButton->setProperty("role", "accent");
    m_checkNote = makeLabel("proveNoteLabel", "note");
    row->addWidget(m_checkButton);
    row->addWidget(m_checkNote, 1);
    column->addLayout(row);
    m_unchanged = makeLabel("unchangedReplayLabel", "note");
    column->addWidget(m_unchanged);
    column->addStretch(1);
    m_later.setSingleShot(true);
    connect(&m_later, &QTimer::timeout, this, &WhatIfPanel::recompute);
    connect(m_controls, &WhatIfControls::changed, this, [this] { m_later.start(kSoonMs); });
    connect(&model, &TimelineModel::dataChanged, this, &WhatIfPanel::recomputeLater);
    connect(m_checkButton, &QPushButton::clicked, this, &WhatIfPanel::startCheck);
    connect(&m_check, &CheckRun::finished, this, &WhatIfPanel::showCheckResult);
    showResult();
}

void WhatIfPanel::setSuspect(int suspect) {
    const TraceData* recorded = m_model.recorded();
    m_controls->setRanks(recorded == nullptr ? 0 : static_cast<int>(recorded->worldSize()), suspect);
}

// Schedules a new prediction if the run has traced more steps, at most once in kLiveMs (1 s).
void WhatIfPanel::recomputeLater() {
    const TraceData* recorded = m_model.recorded();
    const std::uint64_t revision = recorded == nullptr ? 0 : recorded->revision();
    if (revision == 0 && m_revision != 0) {  // the page shows another run: discards the prediction of the previous run
        m_revision = 0;
        m_check.stop();
        m_checkResult.reset();
        m_result.reset();
        m_controls->reset();
        m_model.setReplay(nullptr);
        return showResult();
    }
    // Updates the button that starts a check, which is enabled only after the end of a live run.
    if (revision == m_revision || isWorking()) return refreshCheck();
    m_later.start(m_revision == 0 ? kSoonMs : kLiveMs);
}

void WhatIfPanel::recompute() {
    const TraceData* recorded = m_model.recorded();
    if (recorded == nullptr) return showResult();
    m_revision = recorded->revision();
    m_selectedChange = m_controls->change();
    auto steps = std::make_shared<const TraceData>(recorded->latest(kReplayed));
    m_work.requestLatest(
        this,
        [steps, change = m_selectedChange](const LatestWork::Stop&) {
            Answer answer{replaySteps(*steps, change), steps->verdict(kReplayed).stepMs, nullptr};
            if (!change.changesNothing())
                answer.replay = std::make_shared<const TraceData>(replayedTrace(*steps, change, kReplayed));
            return answer;
        },
        [this](const Answer& answer) { showAnswer(answer); });
}

void WhatIfPanel::showAnswer(const Answer& answer) {
    m_result = answer.result;
    m_medianMs = answer.medianMs;
    m_model.setReplay(answer.replay);
    showResult();
}

QString WhatIfPanel::whyNoCheck() const {
    const auto& started = m_model.run().started();
    if (!started) return tr("there is no run");
    if (m_selectedChange.changesNothing()) return tr("select at least one change");
    if (m_model.isLive()) return tr("wait until this run ends, because both runs would share the CPUs");
    const Result<RunConfig> config = RunConfig::parse(started->config, "run");
    if (!config) return tr("the run's experiment cannot be read");
    const Result<RunConfig> changed = checkExperiment(config.value(), m_selectedChange);
    return changed ? QString() : inFormWords(QString::fromStdString(changed.problem().text()));
}

double WhatIfPanel::checkSeconds() const {
    const double steps = std::min<double>(200, static_cast<double>(m_model.run().totalSteps()));
    return kStartSeconds + (m_result ? m_result->predicted * steps / 1000 : 0);
}

// Returns the measured time of a step: the median, which the verdict banner also contains, and the mean, to which
// predictions are compared.
QString WhatIfPanel::measuredText() const {
    const QString mean = millisecondsText(m_result->measured);
    return m_medianMs > 0 ? tr("median %1, mean %2 per step").arg(millisecondsText(m_medianMs), mean)
                          : tr("%1 per step (mean)").arg(mean);
}

void WhatIfPanel::showResult() {
    const bool known = m_result && m_result->steps > 0;
    const bool changes = !m_selectedChange.changesNothing();
    m_predicted->setText(!known    ? tr("No complete step yet")
                         : changes ? tr("%1 per step (mean)").arg(millisecondsText(m_result->predicted))
                                   : measuredText());
    const bool unanswered = m_result && !m_result->unanswered.empty();
    m_range->setVisible(known || unanswered);
    m_unchanged->setVisible(known);
    if (unanswered) {
        m_predicted->setText(tr("No prediction"));
        m_range->setText(tr("These %1.").arg(QString::fromStdString(m_result->unanswered)));
    }
    if (known) {
        const double off = m_result->measured > 0 ? 100 * std::abs(m_result->replayed / m_result->measured - 1) : 0;
        m_unchanged->setText(tr("simulation without a change: %1, differs by %2 % from the measured time")
                                 .arg(millisecondsText(m_result->replayed))
                                 .arg(off, 0, 'f', 1));
        m_range->setText(changes ? tr("%1; now %2: %3")
                                       .arg(millisecondsRange(m_result->low, m_result->high),
                                            millisecondsText(m_result->measured), timesAsFast(*m_result))
                         : m_result->steps == 1 ? tr("step time measured over 1 step; no change selected")
                                                : tr("step time measured over %1 steps, from the end of one step to "
                                                     "the end of the next; no change selected")
                                                      .arg(m_result->steps));
    }
    refreshCheck();
}

void WhatIfPanel::refreshCheck() {
    const QString reason = m_check.isRunning() ? tr("the check is running") : whyNoCheck();
    const bool can = reason.isEmpty() && m_result && m_result->steps > 0;
    m_checkButton->setEnabled(can);
    m_checkNote->setText(m_check.isRunning() ? tr("the check runs in the background")
                         : can               ? tr("the check trains for about %1 s").arg(qRound(checkSeconds()))
                                             : reason);
    m_checkButton->setToolTip(can ? tr("Train the changed experiment in the background and measure its steps")
                                  : tr("This prediction cannot be checked now: %1").arg(reason));
    showOutcome();
}

// Shows the outcome of a check only while the change that was checked is selected.
void WhatIfPanel::showOutcome() {
    const bool shown = m_checkResult && m_checkedChange == m_selectedChange;
    m_checkResultLabel->setVisible(shown);
    if (!shown) return;
    const CheckOutcome outcome = checkOutcome(m_checkedPrediction, *m_checkResult);
    m_checkResultLabel->setText(checkText(m_checkedPrediction, *m_checkResult));
    m_checkResultLabel->setToolTip(m_checkResult->directory);
    setTone(m_checkResultLabel, outcome == CheckOutcome::kConfirmed      ? "good"
                                : outcome == CheckOutcome::kNotConfirmed ? "danger"
                                                                         : "");
}

void WhatIfPanel::startCheck() {
    const Result<RunConfig> config = RunConfig::parse(m_model.run().started()->config, "run");
    if (!config || !m_result) return;
    const Result<RunConfig> changed = checkExperiment(config.value(), m_selectedChange);
    if (!changed) return;
    m_checkedChange = m_selectedChange;
    m_checkedPrediction = *m_result;
    m_checkResult.reset();
    m_check.start(changed.value(), QString::fromStdString(m_model.run().started()->runDirectory));
    refreshCheck();
}

void WhatIfPanel::showCheckResult(const CheckRunResult& result) {
    m_checkResult = result;
    refreshCheck();
    if (m_checkResultLabel->isVisibleTo(this)) Q_EMIT outcomeShown(m_checkResultLabel);
}

}  // namespace ringside
