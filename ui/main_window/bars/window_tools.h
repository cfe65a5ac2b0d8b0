// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <QWidget>

#include "models/device_query.h"

namespace ringside {

class Dialogs;
class ExperimentDock;
class ExperimentModel;
class Navigator;
class Theme;
class TimeControls;
struct HelpTopic;
struct WindowActions;

// Commands that change neither the run nor the layout: command finder, documentation, list of keys, devices, model
// summary, and copying the text of a page.
class WindowTools final : public QObject {
    Q_OBJECT
  public:
    struct Dependencies {
        const WindowActions& actions;
        ExperimentModel& experiment;
        DeviceQuery& devices;
        Navigator& pages;
        TimeControls& timeControls;
        ExperimentDock& dock;
        Dialogs& dialogs;
        Theme& theme;
        QString controlProgram;
    };
    // All arguments must outlive this object. `window` is the parent of the dialogs.
    WindowTools(const Dependencies& dependencies, QWidget& window);

    void showHelp(const HelpTopic& topic);

  Q_SIGNALS:
    void messageReady(const QString& sentence);
    void failed(const QString& sentence);

  private:
    void connectActions();
    void showFinder();
    void showHelpOnControl();
    void showModelSummary();
    void showLoaderSweep();
    void showDevices();
    void showKeys();
    void showAbout();
    void copyAsText();
    void moveKeyboard();

    Dependencies m_in;
    QWidget& m_window;
};

}  // namespace ringside
