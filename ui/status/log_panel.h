// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QListView>
#include <QWidget>

#include "models/log_model.h"

namespace ringside {

class RunModel;
class Theme;

// Panel with the messages of the ranks and of the supervisor (the process that starts the ranks), newest at the bottom.
class LogPanel final : public QWidget {
    Q_OBJECT
  public:
    LogPanel(const RunModel& run, const Theme& theme, QWidget* parent = nullptr);

    const LogModel& model() const { return m_model; }
    QSize sizeHint() const override { return {600, 150}; }

  private:
    QWidget* makeHeader();

    LogModel m_model;
    QListView* m_view;
};

}  // namespace ringside
