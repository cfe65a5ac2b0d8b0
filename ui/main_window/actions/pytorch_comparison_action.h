// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <QWidget>

namespace ringside {

class ExperimentModel;
class PytorchDialog;
class RunController;
class RunModel;
class RunSession;
class Settings;
class Theme;
struct WindowActions;

// Menu command Run > Compare with PyTorch: compares the shown run, or the experiment in the form, with the same
// training in PyTorch.
class PytorchComparisonAction final : public QObject {
    Q_OBJECT
  public:
    struct Dependencies {
        const WindowActions& actions;
        ExperimentModel& experiment;
        const RunModel& run;
        const RunController& controller;
        RunSession& session;
        Settings& settings;
        const Theme& theme;
        QString controlProgram;
    };
    // All arguments must outlive this object. `window` is the parent of the dialog.
    PytorchComparisonAction(const Dependencies& dependencies, QWidget& window);

  private:
    void compare();
    void refresh();
    QString whyNot() const;
    bool ownRunFits() const;

    Dependencies m_in;
    QWidget& m_window;
    PytorchDialog* m_dialog = nullptr;
};

}  // namespace ringside
