// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QLabel>
#include <QTableView>
#include <QTimer>
#include <optional>

#include "controls/latest_work.h"
#include "shards/seen/seen_samples.h"
#include "tables/table_model.h"

class QVBoxLayout;

namespace ringside {

class RunModel;
class StepSamplesView;
class Theme;

// Samples that a watched PyTorch script has used: how often each sample was used, by epoch and rank, and which samples
// each rank used in one step. Shown on the Shards page in place of the views of a plan. Reads the run directory on a
// worker thread; for a live run, repeats this while the panel is visible.
class SeenSamplesPanel final : public QFrame {
    Q_OBJECT
  public:
    SeenSamplesPanel(const RunModel& run, const Theme& theme, QWidget* parent = nullptr);

    void setStep(std::optional<qint64> step);  // selects the step, counted from 1; empty: the latest
    // True if the panel is the current part of the page, also while the page is hidden.
    bool isShown() const { return !isHidden(); }
    bool isSettled() const { return !m_work.isBusy() && !m_later.isActive(); }
    TableData table() const;  // returns the table with all columns, even if the panel shows fewer

  protected:
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

  private:
    void addTable(QVBoxLayout& column);
    void addStep(QVBoxLayout& column);
    void restart();
    void read();
    void showSamples(const SeenSamples& samples);
    void showStep();
    void showTable();
    void fitTable();

    const RunModel& m_run;
    const Theme& m_theme;
    std::optional<SeenSamples> m_samples;
    std::optional<qint64> m_step;
    bool m_wasOver = false;  // true if the run had ended when m_samples was read
    QTimer m_later;
    LatestWork m_work;
    QLabel* m_lines = nullptr;
    TableModel m_model;
    QTableView* m_table = nullptr;
    QLabel* m_stepTitle = nullptr;
    QLabel* m_planText = nullptr;
    StepSamplesView* m_cells = nullptr;
};

}  // namespace ringside
