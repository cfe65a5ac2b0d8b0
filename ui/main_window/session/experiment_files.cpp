// SPDX-License-Identifier: GPL-3.0-or-later
#include "main_window/session/experiment_files.h"

#include <QDir>
#include <QFileInfo>
#include <QMenu>
#include <QRegularExpression>
#include <algorithm>

#include "base/json/json.h"
#include "base/system/files.h"
#include "base/system/resource_directory.h"
#include "dialogs/dialogs.h"
#include "models/experiment_model.h"
#include "settings/settings.h"

namespace ringside {
namespace {

QString experimentFilter() {
    return ExperimentFiles::tr(
        "All files (*);;Experiments (*.ringside.json *.json);;Tables (*.csv *.tsv *.txt *.data *.gz)");
}

// Returns the names of the files that identify a directory as a run directory.
QStringList recordNames() {
    return {QStringLiteral("telemetry.jsonl"), QStringLiteral("summary.json"), QStringLiteral("metrics.jsonl")};
}

bool isRunDirectory(const QString& path) {
    return std::ranges::any_of(recordNames(), [&path](const QString& name) { return QDir(path).exists(name); });
}

// True if the path is a file that Ringside records in a run directory.
bool isRecordOfRun(const QFileInfo& file) {
    return file.isFile() && recordNames().contains(file.fileName());
}

// Returns the name of an experiment file: "lr-0.1" for "runs/lr-0.1.ringside.json".
std::string nameOf(const QString& path) {
    static const QRegularExpression ending(QStringLiteral("(\\.ringside)?\\.json$"),
                                           QRegularExpression::CaseInsensitiveOption);
    return QFileInfo(path).fileName().remove(ending).toStdString();
}

QString text(const Problem& problem) {
    return QString::fromStdString(problem.text());
}

}  // namespace

ExperimentFiles::ExperimentFiles(ExperimentModel& model, Settings& settings, Dialogs& dialogs, QObject* parent)
    : QObject(parent), m_model(model), m_settings(settings), m_dialogs(dialogs) {}

Result<RunConfig> ExperimentFiles::readExperiment(const QString& path) {
    const Result<Json> json = readJsonFile(path.toStdString());
    if (!json) return json.problem();
    Result<RunConfig> config = RunConfig::fromJson(json.value());
    if (config) return config;
    Problem problem = config.problem();
    problem.field = QFileInfo(path).fileName().toStdString() + ": " + problem.field;
    return problem;
}

void ExperimentFiles::confirmUnsavedChanges(const std::function<void()>& proceed,
                                            const std::function<void()>& cancelled) {
    if (!m_model.isModified()) return proceed();
    const QString name =
        m_model.filePath().isEmpty() ? tr("this experiment") : QFileInfo(m_model.filePath()).fileName();
    m_dialogs.showQuestion({tr("Unsaved experiment"),
                            tr("Save the changes to %1 first?").arg(name),
                            {tr("Save"), tr("Discard"), tr("Cancel")}},
                           [this, proceed, cancelled](int answer) {
                               if (answer == 0) {
                                   if (m_model.filePath().isEmpty()) return chooseAndSave(proceed);
                                   if (!writeExperiment(m_model.filePath())) return;
                               }
                               if (answer <= 1) return proceed();
                               if (cancelled) cancelled();
                           });
}

void ExperimentFiles::startNew(const RunConfig& config) {
    confirmUnsavedChanges([this, config] {
        m_model.replace(config, {});
        Q_EMIT experimentReplaced();
        Q_EMIT done();
    });
}

void ExperimentFiles::startExample(const QString& resource) {
    const Result<std::filesystem::path> path = resourcePath(resource.toStdString());
    if (!path) {
        Q_EMIT failed(tr("Example not opened: %1").arg(text(path.problem())));
        return;
    }
    const Result<RunConfig> config = readExperiment(QString::fromStdString(path.value().string()));
    if (config) return startNew(config.value());
    Q_EMIT failed(tr("Example not opened: %1").arg(text(config.problem())));
}

void ExperimentFiles::chooseAndOpen() {
    m_dialogs.openFile(tr("Open"), m_settings.get(settings::kLastFolder), experimentFilter(),
                       [this](const QString& path) { open(path); });
}

void ExperimentFiles::chooseData() {
    m_dialogs.openFile(tr("Choose the data file"), m_settings.get(settings::kLastFolder),
                       tr("All files (*);;Tables (*.csv *.tsv *.txt *.data *.gz);;Arrays (*.npy *ubyte *.gz *.bin)"),
                       [this](const QString& path) { open(path); });
}

void ExperimentFiles::chooseDataFolder() {
    m_dialogs.openFolder(tr("Choose the folder with the data"), m_settings.get(settings::kLastFolder),
                         [this](const QString& path) { open(path); });
}

void ExperimentFiles::open(const QString& path) {
    if (path.isEmpty()) return;
    const QFileInfo info(path);
    const QString whole = info.absoluteFilePath();
    if (!info.exists()) {
        Q_EMIT failed(tr("%1 does not exist: choose another file.").arg(whole));
    } else if (info.isDir() && isRunDirectory(whole)) {
        Q_EMIT runDirectoryChosen(whole);
    } else if (isRecordOfRun(info)) {
        Q_EMIT runDirectoryChosen(info.absolutePath());
    } else if (info.suffix().compare(QLatin1String("json"), Qt::CaseInsensitive) == 0) {
        openExperiment(whole);
    } else if (info.isFile() && info.suffix() == QLatin1String("py")) {
        Q_EMIT scriptChosen(whole);
    } else {
        m_settings.set(settings::kLastFolder, info.absolutePath());
        Q_EMIT dataChosen(whole);
    }
}

void ExperimentFiles::openExperiment(const QString& path) {
    confirmUnsavedChanges([this, path] { readInto(path); });
}

void ExperimentFiles::readInto(const QString& path) {
    m_settings.set(settings::kLastFolder, QFileInfo(path).absolutePath());
    const Result<RunConfig> config = readExperiment(path);
    if (!config) {
        Q_EMIT failed(tr("Not opened: %1").arg(text(config.problem())));
        return;
    }
    m_model.replace(config.value(), path);
    m_settings.addRecentFile(path);
    Q_EMIT experimentReplaced();
    Q_EMIT done();
}

void ExperimentFiles::save() {
    if (m_model.filePath().isEmpty()) return saveAs();
    writeExperiment(m_model.filePath());
}

QString ExperimentFiles::suggestedPath() const {
    if (!m_model.filePath().isEmpty()) return m_model.filePath();
    QString folder = m_settings.get(settings::kLastFolder);
    if (folder.isEmpty()) folder = QDir::currentPath();
    return folder + QLatin1Char('/') + QString::fromStdString(m_model.config().name) + QStringLiteral(".ringside.json");
}

void ExperimentFiles::saveAs() {
    chooseAndSave([] {});
}

void ExperimentFiles::chooseAndSave(const std::function<void()>& proceed) {
    m_dialogs.saveFile(tr("Save the experiment"), suggestedPath(), tr("Experiments (*.ringside.json)"),
                       [this, proceed](const QString& path) {
                           if (!path.isEmpty() && writeExperiment(path)) proceed();
                       });
}

bool ExperimentFiles::writeExperiment(const QString& path) {
    RunConfig config = m_model.resolvedConfig();
    if (path != m_model.filePath()) config.name = nameOf(path);
    try {
        writeFileAtomically(path.toStdString(), config.toText(2) + "\n");
    } catch (const IoError& error) {
        Q_EMIT failed(tr("Not saved: %1").arg(QString::fromUtf8(error.what())));
        return false;
    }
    m_model.edit(config, QStringLiteral("name"));
    m_model.setSaved(path);
    m_settings.addRecentFile(path);
    m_settings.set(settings::kLastFolder, QFileInfo(path).absolutePath());
    Q_EMIT done();
    Q_EMIT saved(tr("Saved %1").arg(path));
    return true;
}

void ExperimentFiles::fillRecent(QMenu& menu) {
    menu.clear();
    for (const QString& path : m_settings.get(settings::kRecentFiles)) {
        QAction* action = menu.addAction(QFileInfo(path).fileName(), this, [this, path] { open(path); });
        action->setToolTip(path);
    }
    menu.setEnabled(!menu.isEmpty());
}

void ExperimentFiles::saveDraft() {
    m_settings.set(settings::kDraftFile, m_model.filePath());
    if (m_model.isModified()) {
        m_settings.set(settings::kDraft, QByteArray::fromStdString(m_model.config().toText()));
    } else {
        m_settings.remove(settings::kDraft);
    }
}

void ExperimentFiles::saveDraftOnChanges() {
    constexpr int kSoonMs = 1000;
    m_draftTimer.setSingleShot(true);
    m_draftTimer.setInterval(kSoonMs);
    connect(&m_draftTimer, &QTimer::timeout, this, &ExperimentFiles::saveDraft, Qt::UniqueConnection);
    connect(&m_model, &ExperimentModel::configChanged, &m_draftTimer, qOverload<>(&QTimer::start),
            Qt::UniqueConnection);
}

void ExperimentFiles::restoreDraft() {
    const QString file = m_settings.get(settings::kDraftFile);
    const QByteArray draft = m_settings.get(settings::kDraft);
    if (draft.isEmpty()) {
        if (QFileInfo::exists(file)) readInto(file);
        return;
    }
    const Result<RunConfig> config = RunConfig::parse(draft.toStdString(), "the experiment of the last session");
    if (!config) return;
    const Result<RunConfig> saved = readExperiment(file);
    m_model.replace(saved ? saved.value() : RunConfig(), file);
    // The restored experiment is one unsaved edit, which undo reverts.
    m_model.edit(config.value(), QStringLiteral("draft"));
}

}  // namespace ringside
