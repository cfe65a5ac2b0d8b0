// SPDX-License-Identifier: GPL-3.0-or-later
#include "status/status_panel.h"

#include <QDesktopServices>
#include <QDir>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QUrl>

#include "models/experiment_model.h"
#include "models/run_model.h"
#include "models/start_progress.h"
#include "status/run_text.h"
#include "theme/theme.h"
#include "words/field_text.h"
#include "words/form_fields.h"

namespace ringside {
namespace {

constexpr int kBarSteps = 1000;
constexpr int kBarWidth = 220;

// Returns the last two parts of a path, such as "runs/2026-11-20-digits-mlp".
QString shortPath(const QString& directory) {
    const QFileInfo info(directory);
    return info.dir().dirName() + QLatin1Char('/') + info.fileName();
}

}  // namespace

StatusPanel::StatusPanel(const ExperimentModel& experiment, const RunModel& run, const RunController& controller,
                         QWidget* parent)
    : QWidget(parent), m_experiment(experiment), m_run(run), m_controller(controller) {
    addWidgets();
    connect(&experiment, &ExperimentModel::configChanged, this, &StatusPanel::refresh);
    connect(&experiment, &ExperimentModel::loadingSlowly, this, &StatusPanel::refresh);
    connect(&run, &RunModel::changed, this, &StatusPanel::refresh);
    connect(&run, &RunModel::restarted, this, &StatusPanel::refresh);
    connect(&run, &RunModel::expectedChanged, this, &StatusPanel::refresh);
    connect(&run, &RunModel::formDiffersChanged, this, &StatusPanel::refresh);
    connect(&controller, &RunController::stateChanged, this, &StatusPanel::refresh);
    connect(m_compute, &ElidedLabel::clicked, this, &StatusPanel::computeClicked);
    connect(m_directory, &QPushButton::clicked, this,
            [this] { QDesktopServices::openUrl(QUrl::fromLocalFile(m_controller.runDirectory())); });
    refresh();
}

void StatusPanel::addWidgets() {
    m_progressText = new ElidedLabel(this);
    m_progressText->setObjectName(QStringLiteral("progressLabel"));
    m_progressText->setProperty("role", "muted");
    m_progress = new QProgressBar(this);
    m_progress->setObjectName(QStringLiteral("runProgressBar"));
    m_progress->setAccessibleName(tr("Progress of the run"));
    m_progress->setToolTip(tr("Share of the run's training steps that are finished"));
    m_progress->setRange(0, kBarSteps);
    m_progress->setTextVisible(false);
    m_progress->setFixedWidth(kBarWidth);
    m_timeLeft = new QLabel(this);
    m_timeLeft->setObjectName(QStringLiteral("timeLeftLabel"));
    m_timeLeft->setProperty("role", "muted");
    m_compute = new ElidedLabel(this);
    m_compute->setObjectName(QStringLiteral("computeLabel"));
    m_compute->setProperty("role", "muted");
    m_compute->setCursor(Qt::PointingHandCursor);
    m_compute->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_directory = new QPushButton(this);
    m_directory->setObjectName(QStringLiteral("runDirectoryButton"));
    m_directory->setProperty("role", "link");
    m_directory->setCursor(Qt::PointingHandCursor);
    auto* line = new QHBoxLayout(this);
    line->setContentsMargins(Theme::kSpace4, 0, Theme::kSpace4, 0);
    line->setSpacing(Theme::kSpace4);
    m_progressText->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Preferred);
    line->addWidget(m_progressText);
    line->addWidget(m_progress);
    line->addWidget(m_timeLeft);
    m_compute->setSizePolicy(QSizePolicy::Ignored,
                             QSizePolicy::Preferred);  // the text gets the free width beside the progress
    line->addWidget(m_compute, 1);
    line->addWidget(m_directory);
}

QString StatusPanel::compute() const {
    if (m_run.data().started() && !isOfAnotherExperiment()) {
        const RunStarted& run = *m_run.data().started();
        return sentenceText(run.whyBackend) + QLatin1Char(' ') + sentenceText(run.whyDevice);
    }
    const ComputeChoice choice = m_experiment.compute();
    return inFormWords(sentenceText(choice.whyBackend) + QLatin1Char(' ') + sentenceText(choice.whyDevice));
}

// True if the shown run has ended and the form now contains another experiment.
bool StatusPanel::isOfAnotherExperiment() const {
    return m_run.formDiffers() && !m_controller.isLive();
}

QString StatusPanel::progress() const {
    const QString text = progressText(m_controller.state(), m_run.data(), m_controller.message());
    const bool isOver = m_run.data().ended() && !m_controller.isLive();
    return isOver && isOfAnotherExperiment() ? tr("Last run: %1").arg(text) : text;
}

void StatusPanel::refresh() {
    const RunData& run = m_run.data();
    const bool idle = m_controller.state() == RunController::State::Idle && m_controller.message().isEmpty();
    const bool impossible = idle && !m_experiment.problems().empty();
    const QString start = m_controller.isLive() ? startProgress(m_run).title : QString();
    const bool stopping = m_controller.state() == RunController::State::Stopping;
    m_progressText->setWhole(!start.isEmpty() && !stopping ? start
                             : impossible                  ? tr("Not ready to run: see the problems in the form")
                             : idle && m_experiment.isLoadingSlowly() ? tr("Reading the data")
                                                                      : progress());
    m_progress->setVisible(m_controller.isLive() && run.totalSteps() > 0 && !m_run.expected());
    m_progress->setValue(static_cast<int>(progressShare(run) * kBarSteps));
    m_timeLeft->setText(m_controller.isLive() ? timeLeftText(run) : QString());
    m_timeLeft->setVisible(!m_timeLeft->text().isEmpty());
    m_compute->setWhole(compute());
    const QString directory = m_controller.runDirectory();
    m_directory->setVisible(!directory.isEmpty());
    m_directory->setText(shortPath(directory));
    m_directory->setToolTip(tr("Open %1").arg(directory));
    m_directory->setAccessibleName(tr("Open the run directory"));
}

}  // namespace ringside
