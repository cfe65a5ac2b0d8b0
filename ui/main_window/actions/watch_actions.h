// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <functional>

#include "models/watch_request.h"

class QWidget;

namespace ringside {

class Dialogs;
class FindingsPanel;
class NoticeBar;
class RunController;
class RunModel;
class Settings;
class Theme;
class TrainingPage;
class WatchedScriptPanel;
struct WindowActions;

// Menu command Run > Watch a script, and the parts of the window for a watched PyTorch script: the panel that takes the
// place of the form, and the findings above the curves.
class WatchActions final : public QObject {
    Q_OBJECT
  public:
    struct Dependencies {
        RunModel& run;
        RunController& controller;
        Settings& settings;
        Dialogs& dialogs;
        Theme& theme;
    };
    // All arguments must outlive this object. `window` is the parent of the dialog.
    WatchActions(const WindowActions& actions, const Dependencies& dependencies, QWidget* window);

    // Adds the panel with the watched PyTorch script to the layout of `frame`. The panel replaces `form` while a
    // watched run is shown.
    void addPanel(QWidget& frame, QWidget* form);
    void addFindings(TrainingPage& page);
    // Shows the dialog "Watch a script". If `script` is not empty, selects this script in the dialog.
    void openDialog(const QString& script = {});
    void
    showExperimentForm();  // shows the experiment form instead of the panel while the watched run stays on the pages

  Q_SIGNALS:
    void watchWanted(const ringside::WatchRequest& request);
    void failed(const QString& sentence);

  private:
    Dependencies m_dependencies;
    QWidget* m_window;
    WatchedScriptPanel* m_panel = nullptr;
};

}  // namespace ringside
