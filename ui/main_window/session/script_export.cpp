// SPDX-License-Identifier: GPL-3.0-or-later
#include "main_window/session/script_export.h"

#include <QDir>
#include <QFileInfo>
#include <QStringList>

#include "base/errors/errors.h"
#include "data/sets/common/dataset.h"
#include "dialogs/dialogs.h"
#include "export/pytorch/pytorch_script.h"
#include "models/experiment_model.h"
#include "settings/settings.h"
#include "words/form_fields.h"

namespace ringside {

ScriptExport::ScriptExport(ExperimentModel& model, Settings& settings, Dialogs& dialogs, QObject* parent)
    : QObject(parent), m_model(model), m_settings(settings), m_dialogs(dialogs) {}

QString ScriptExport::suggestedPath() const {
    QString folder = m_settings.get(settings::kLastFolder);
    if (folder.isEmpty()) folder = QDir::currentPath();
    QString name = QString::fromStdString(m_model.config().name).simplified();
    name.replace(QLatin1Char('/'), QLatin1Char('-')).replace(QLatin1Char(' '), QLatin1Char('-'));
    return folder + QLatin1Char('/') + name + QStringLiteral(".py");
}

// Checks that the experiment can be exported, and then opens the file dialog. While the data set is not loaded, omits
// the checks that depend on the data.
void ScriptExport::choose() {
    const RunConfig config = m_model.resolvedConfig();
    if (const Problems problems = exportProblems(config); !problems.empty()) return refuse(problems.front());
    if (m_model.isLoadingData() || m_model.data() == nullptr) return chooseFile();
    m_work.requestLatest(
        this,
        [config, data = *m_model.data()](LatestWork::Stop&) { return exportPytorch(config, data, {}, "train.py"); },
        [this](const Result<PytorchScript>& script) { script ? chooseFile() : refuse(script.problem()); });
}

void ScriptExport::refuse(const Problem& problem) {
    Q_EMIT failed(tr("Not exported: %1").arg(inFormWords(QString::fromStdString(problem.text()))));
}

void ScriptExport::chooseFile() {
    m_dialogs.saveFile(tr("Export as PyTorch script"), suggestedPath(), tr("Python scripts (*.py)"),
                       [this](const QString& path) { writeFile(path); });
}

void ScriptExport::writeFile(const QString& path) {
    if (path.isEmpty()) return;
    m_settings.set(settings::kLastFolder, QFileInfo(path).absolutePath());
    m_work.requestLatest(
        this, [config = m_model.resolvedConfig(), path](LatestWork::Stop&) { return writeScript(config, path); },
        [this](const Outcome& outcome) {
            if (outcome.ok) {
                Q_EMIT written(outcome.message);
            } else {
                Q_EMIT failed(outcome.message);
            }
        });
}

// Writes the exported script and its data file. Called on a worker thread, because reading the data set may take
// seconds.
ScriptExport::Outcome ScriptExport::writeScript(const RunConfig& config, const QString& path) {
    const QFileInfo file(path);
    const auto target = std::filesystem::path(file.absoluteFilePath().toStdString());
    const Result<PytorchScript> script = exportPytorch(config, {}, target.filename().string());
    if (!script) {
        return {false, tr("Not exported: %1").arg(inFormWords(QString::fromStdString(script.problem().text())))};
    }
    try {
        writePytorch(script.value(), target);
    } catch (const IoError& error) {
        return {false, tr("Not exported: %1").arg(QString::fromUtf8(error.what()))};
    }
    QStringList sentences{tr("Exported. To run the script: python3 %1 --out DIR").arg(file.absoluteFilePath())};
    if (!script.value().dataName.empty())
        sentences
            << tr("The data is in the file %1 in the same folder").arg(QString::fromStdString(script.value().dataName));
    if (!script.value().note.empty()) sentences << QString::fromStdString(script.value().note);
    return {true, sentences.join(QStringLiteral(". "))};
}

}  // namespace ringside
