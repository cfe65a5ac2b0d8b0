// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QTimer>

#include "start/start_options.h"

namespace ringside {

class MainWindow;

// Waits until the window has loaded and drawn everything, writes a picture of the window to a file, and emits
// finished() with the exit code of the program.
class Screenshot final : public QObject {
    Q_OBJECT
  public:
    Screenshot(MainWindow& window, const StartOptions& options, QObject* parent = nullptr);

    void begin();

  Q_SIGNALS:
    void finished(int exitCode);

  private:
    bool isReady() const;
    void checkReady();
    void draw();
    void fail(const QString& text);

    MainWindow& m_window;
    StartOptions m_options;
    QTimer m_settle;  // timer that expires when nothing in the window has changed for kSettle
    QTimer m_deadline;
};

}  // namespace ringside
