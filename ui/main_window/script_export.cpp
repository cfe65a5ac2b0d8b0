// SPDX-License-Identifier: GPL-3.0-or-later
#include "main_window/script_export.h"

#include <QDir>
#include <QFileInfo>

#include "base/errors/errors.h"
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

void ScriptExport::choose() {
    m_dialogs.saveFile(tr("Export as PyTorch script"), suggestedPath(), tr("Python scripts (*.py)"),
                       [this](const QString& path) { write(path); });
}

void ScriptExport::write(const QString& path) {
    if (path.isEmpty()) return;
    m_settings.set(settings::kLastFolder, QFileInfo(path).absolutePath());
    m_work.want(
        this, [config = m_model.resolvedConfig(), path](LatestWork::Stop&) { return writeScript(config, path); },
        [this](const Outcome& outcome) {
            if (outcome.ok) {
                Q_EMIT written(outcome.message);
            } else {
                Q_EMIT failed(outcome.message);
            }
        });
}

// On a worker thread: the data set is read, which may take seconds.
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
    const QString note = QString::fromStdString(script.value().note);
    return {true, tr("Exported. Run it with: python3 %1 --out DIR").arg(file.absoluteFilePath()) +
                      (note.isEmpty() ? QString() : QStringLiteral(". ") + note)};
}

}  // namespace ringside
