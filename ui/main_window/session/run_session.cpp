// SPDX-License-Identifier: GPL-3.0-or-later
#include "main_window/session/run_session.h"

#include <cmath>

#include "main_window/session/experiment_files.h"
#include "main_window/session/run_experiment.h"
#include "models/experiment_model.h"
#include "models/plan_model.h"
#include "models/run_model.h"
#include "run/prepare/resume_point.h"
#include "run/read/run_directory.h"
#include "settings/settings.h"
#include "words/changed_fields.h"
#include "words/form_fields.h"

namespace ringside {

RunSession::RunSession(const Dependencies& dependencies, QObject* parent) : QObject(parent), m_in(dependencies) {
    connect(&m_in.controller, &RunController::stateChanged, this, &RunSession::applyState);
    connect(&m_in.experiment, &ExperimentModel::configChanged, this, &RunSession::compareForm);
    connect(&m_in.run, &RunModel::changed, this, [this](unsigned changes) {
        if (changes & kRunStartedChanged) readRestoredRate();
        if (changes & kRunStartedChanged) adoptConfig();
        if (changes & kControlChanged) compareForm();
        if (m_in.run.isWatched()) adoptEpochs();
    });
}

QString RunSession::whyNotRunnable() const {
    if (m_in.controller.isLive())
        return m_in.run.isWatched() ? tr("A watched script is running: wait until it ends, or stop it first.")
                                    : tr("A run is live: stop it first.");
    if (m_in.experiment.config().dataset.kind == DatasetKind::kExternal)
        return tr(
            "A watched script is shown: click Watch on the left to start it again, or choose File > New "
            "experiment to train with Ringside.");
    if (!m_in.experiment.problems().empty())
        return inFormWords(QString::fromStdString(m_in.experiment.problems().front().text()));
    if (m_in.experiment.isLoadingData()) return tr("The data set is being loaded.");
    return {};
}

bool RunSession::isBlockedVisibly() const {
    const bool isExternal = m_in.experiment.config().dataset.kind == DatasetKind::kExternal;
    return m_in.controller.isLive() || m_in.experiment.isLoadingData() || isExternal;
}

bool RunSession::canResume() const {
    const RunData& run = m_in.run.data();
    return !m_in.controller.isLive() && !m_directory.isEmpty() && run.ended() && !run.checkpoints().empty();
}

void RunSession::start() {
    if (!whyNotRunnable().isEmpty()) return;
    m_started = m_in.experiment.config();
    request(PageToShow::kAnyThatFollows);
    m_in.controller.start(m_in.experiment.resolvedConfig(), {});
}

void RunSession::resume() {
    if (!canResume()) return;
    RunConfig config = m_in.experiment.resolvedConfig();
    config.training.resume = m_directory.toStdString();
    m_started = m_in.experiment.config();
    request(PageToShow::kTraining);
    m_in.controller.start(config, {});
}

void RunSession::follow(const QString& directory) {
    m_started = m_in.experiment.config();
    request(PageToShow::kTraining);
    m_in.controller.attach(directory);
}

void RunSession::watch(const WatchRequest& request) {
    m_in.files.confirmUnsavedChanges([this, request] {
        m_started.reset();
        this->request(PageToShow::kTraining, true);
        m_in.controller.watch(request);
    });
}

bool RunSession::open(const QString& directory, AfterOpening after, const std::function<void()>& cancelled) {
    if (directory.isEmpty()) return false;
    if (m_in.controller.isLive()) {
        Q_EMIT refused(
            tr("Another run is live: stop it, or keep it running in the background (Run menu), then open %1.")
                .arg(directory),
            false);
        return false;
    }
    const Result<RunPaths> found = openRunDirectory(directory.toStdString());
    if (!found) {
        Q_EMIT refused(QString::fromStdString(found.problem().text()), true);
        return false;
    }
    // Opens the run at once if the form contains the experiment of the run already. If not, first asks about unsaved
    // changes, because opening the run replaces the experiment in the form.
    if (holdsExperiment(found.value(), m_in.experiment.resolvedConfig())) {
        attach(directory, after);
    } else {
        m_in.files.confirmUnsavedChanges([this, directory, after] { attach(directory, after); }, cancelled);
    }
    return true;
}

void RunSession::attach(const QString& directory, AfterOpening after) {
    // The directory may have been deleted while the question about unsaved changes was shown.
    const Result<RunPaths> found = openRunDirectory(directory.toStdString());
    if (!found) {
        Q_EMIT refused(QString::fromStdString(found.problem().text()), true);
        return;
    }
    m_resumeWhenShown = after == AfterOpening::kResume;
    m_started.reset();
    request(PageToShow::kCurrent, true);
    m_in.controller.attach(directory);
}

void RunSession::request(PageToShow page, bool adoptsConfig) {
    m_restoredRate.reset();
    m_knownControls = 0;
    m_adoptsConfig = adoptsConfig;
    Q_EMIT requested(page);
}

void RunSession::close() {
    if (m_in.controller.isLive()) return compareForm();
    m_directory.clear();
    m_started.reset();
    m_in.controller.close();
    m_in.plan.setEpoch(0);
    compareForm();
}

// Puts the experiment of an opened run into the form, without a file and without unsaved changes. If the form contains
// this experiment already, the form is not changed.
void RunSession::adoptConfig() {
    if (!m_adoptsConfig || !m_in.run.data().started()) return compareForm();
    m_adoptsConfig = false;
    const std::optional<RunConfig> config = experimentOf(*m_in.run.data().started());
    if (!config) return;
    if (!isSameExperiment(*config, m_in.experiment.resolvedConfig())) m_in.experiment.replace(*config, {});
    m_started = m_in.experiment.config();
    compareForm();
}

// Increases the number of epochs in the form to the number of epochs that a watched PyTorch script has begun, because
// the script does not report its total number of epochs.
void RunSession::adoptEpochs() {
    const auto& last = m_in.run.data().lastStep();
    RunConfig config = m_in.experiment.config();
    if (!last || config.dataset.kind != DatasetKind::kExternal || config.training.epochs > last->epoch) return;
    config.training.epochs = last->epoch + 1;
    m_in.experiment.replace(config, {});
    m_started = config;
    compareForm();
}

void RunSession::applyState(RunController::State state) {
    using enum RunController::State;
    const QString directory = m_in.controller.runDirectory();
    // A start that was refused has no run directory. The previous run is then still shown, and its directory is kept.
    if (!directory.isEmpty()) m_directory = directory;
    if (state == Running || (state == Idle && !directory.isEmpty())) m_in.settings.set(settings::kLastRun, directory);
    compareForm();
    if (!m_resumeWhenShown || m_in.controller.isLive() || state == Idle) return;
    m_resumeWhenShown = false;
    // Resumes the run after all receivers of stateChanged() have handled the present state.
    QMetaObject::invokeMethod(this, &RunSession::resume, Qt::QueuedConnection);
}

void RunSession::compareForm() {
    m_in.run.setFormDiffers(m_started && !changedFields(*m_started, m_in.experiment.config()).isEmpty());
    Q_EMIT formCompared();
}

QStringList RunSession::changedSettings() const {
    if (!m_in.controller.isLive()) return differencesFromRun();
    return m_started ? changedFields(settingsInUse(), m_in.experiment.config()) : QStringList();
}

void RunSession::readRestoredRate() {
    m_restoredRate.reset();
    const std::optional<RunConfig> config = experimentOf(*m_in.run.data().started());
    if (!config || config->training.resume.empty()) return;
    for (const ControlChange& change : readLiveChanges(config->training.resume))
        if (change.kind == ControlKind::kLearningRate) m_restoredRate = change.value;
}

// Returns the settings with which the run trains now: those of the form at its start, with the learning rate and the
// number of epochs that later commands have set, from this window or from other programs. Call only if m_started is
// set.
RunConfig RunSession::settingsInUse() const {
    RunConfig config = *m_started;
    std::optional<double> rate = m_restoredRate;
    const std::vector<Controlled>& controls = m_in.run.data().pauses().controls();
    for (std::size_t i = m_knownControls; i < controls.size(); ++i) {
        if (controls[i].command == ControlKind::kLearningRate) rate = controls[i].value;
        if (controls[i].command == ControlKind::kEpochs)
            config.training.epochs = static_cast<std::int64_t>(controls[i].value);
    }
    if (!rate) return config;
    const auto scaled = [](const RunConfig& one) { return one.scaledLearningRate(); };
    const RunConfig& form = m_in.experiment.config();
    // The tolerance allows for rounding errors of the scaled learning rate.
    const bool isOfForm = std::abs(scaled(form) - *rate) <= 1e-12 * *rate;
    config.optimizer.lr = isOfForm ? form.optimizer.lr : *rate * config.optimizer.lr / scaled(config);
    return config;
}

QStringList RunSession::differencesFromRun() const {
    const auto& started = m_in.run.data().started();
    if (!started || m_in.run.expected()) return {};
    const std::optional<RunConfig> run = experimentOf(*started);
    RunConfig form = m_in.experiment.resolvedConfig();
    if (!run || isSameExperiment(*run, form)) return {};
    // Ignores differences in learning rate and epochs if the user has not edited them in the form since the start. A
    // command can have changed them in the run while it was live.
    if (m_started && m_started->optimizer.lr == form.optimizer.lr) form.optimizer.lr = run->optimizer.lr;
    if (m_started && m_started->training.epochs == form.training.epochs) form.training.epochs = run->training.epochs;
    form.training.resume = run->training.resume;
    form.parallel.backend = run->parallel.backend;
    form.parallel.device = run->parallel.device;
    return changedFields(*run, form);
}

bool RunSession::acceptsChanges() const {
    return m_started && m_in.controller.state() == RunController::State::Running && m_in.experiment.problems().empty();
}

bool RunSession::hasNewRate() const {
    if (!acceptsChanges()) return false;
    const RunConfig& config = m_in.experiment.config();
    const RunConfig used = settingsInUse();
    return used.scaledLearningRate() != config.scaledLearningRate() && used.optimizer.lr != config.optimizer.lr;
}

bool RunSession::hasNewEpochs() const {
    return acceptsChanges() && settingsInUse().training.epochs != m_in.experiment.config().training.epochs;
}

QString RunSession::applicableChanges() const {
    if (hasNewRate()) return hasNewEpochs() ? tr("learning rate and epochs") : tr("learning rate");
    return hasNewEpochs() ? tr("epochs") : QString();
}

void RunSession::applyChanges() {
    if (!m_started) return;
    const RunConfig& config = m_in.experiment.config();
    const RunConfig used = settingsInUse();
    if (used.optimizer.lr != config.optimizer.lr)
        m_in.controller.sendCommand({ControlKind::kLearningRate, config.scaledLearningRate()});
    if (used.training.epochs != config.training.epochs)
        m_in.controller.sendCommand({ControlKind::kEpochs, static_cast<double>(config.training.epochs)});
    m_started->optimizer.lr = config.optimizer.lr;
    m_started->training.epochs = config.training.epochs;
    m_restoredRate.reset();
    m_knownControls = m_in.run.data().pauses().controls().size();
    compareForm();
}

}  // namespace ringside
