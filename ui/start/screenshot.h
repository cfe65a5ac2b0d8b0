// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QTimer>

#include "start/start_options.h"

namespace ringside {

class MainWindow;

// Draws the window into a file when everything is loaded, then ends the program with an exit code.
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
    QTimer m_settle;  // timer that expires when nothing has changed for kSettle
    QTimer m_deadline;
};

}  // namespace ringside
