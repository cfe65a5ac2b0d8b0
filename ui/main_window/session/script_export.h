// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>

#include "config/run_config.h"
#include "controls/latest_work.h"

namespace ringside {

class Dialogs;
class ExperimentModel;
class Settings;

// Menu command File > Export as PyTorch script. Checks that the experiment can be exported, asks the user for a file,
// and writes the script and its data file on a worker thread.
class ScriptExport final : public QObject {
    Q_OBJECT
  public:
    ScriptExport(ExperimentModel& model, Settings& settings, Dialogs& dialogs, QObject* parent = nullptr);

    void choose();
    void writeFile(const QString& path);

  Q_SIGNALS:
    void written(const QString& message);
    void failed(const QString& message);

  private:
    struct Outcome {
        bool ok = false;
        QString message;
    };
    static Outcome writeScript(const RunConfig& config, const QString& path);
    void chooseFile();
    void refuse(const Problem& problem);
    QString suggestedPath() const;

    ExperimentModel& m_model;
    Settings& m_settings;
    Dialogs& m_dialogs;
    LatestWork m_work;
};

}  // namespace ringside
