// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>
#include <optional>

#include "run/read/run_summary.h"
#include "watch/watched_command.h"

namespace ringside {

class ElidedLabel;
class RunModel;
class Theme;

// Panel with the results of the checks of a watched PyTorch script: the findings, the most severe first, then the
// checks that passed and the checks without a result. Hidden while the shown run is not that of a watched PyTorch
// script.
class FindingsPanel final : public QFrame {
    Q_OBJECT
  public:
    FindingsPanel(RunModel& run, Theme& theme, QWidget* parent = nullptr);

    // Sets the maximum height of the panel in pixels; a longer content scrolls. 0: no limit.
    void setMostHeight(int height);
    QSize sizeHint() const override;

  Q_SIGNALS:
    void failed(const QString& sentence);  // emitted if the line of a finding cannot be opened

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    void addHeader(QVBoxLayout& column);
    void refresh();
    void readEnd();
    void showHeader();
    void showFindings();
    void showChecks();
    void openLine(const QString& where);
    void fitHeight();

    RunModel& m_run;
    Theme& m_theme;
    std::optional<RunSummary> m_summary;  // summary of the shown run; empty until the run has ended
    std::optional<WatchedCommand> m_command;
    std::vector<Finding> m_shown;
    ElidedLabel* m_counts = nullptr;
    QPushButton* m_fold = nullptr;
    QScrollArea* m_scroll = nullptr;
    QWidget* m_content = nullptr;
    QVBoxLayout* m_rows = nullptr;
    QLabel* m_passed = nullptr;
    QPushButton* m_more = nullptr;
    QLabel* m_reasons = nullptr;
    int m_maxHeight = 0;
    int m_wantedHeight = 0;
};

}  // namespace ringside
