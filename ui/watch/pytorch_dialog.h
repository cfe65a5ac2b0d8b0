// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QComboBox>
#include <QDialog>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>
#include <optional>

#include "watch/pytorch_comparison.h"

namespace ringside {

class Settings;
class Theme;

// Run > Compare with PyTorch: shows the progress and the result of a PytorchComparison. Not modal: a comparison
// continues while the dialog is hidden.
class PytorchDialog final : public QDialog {
    Q_OBJECT
  public:
    // Experiment to compare. ownRun: directory of a finished run of this experiment; empty: Ringside trains the
    // experiment first.
    struct Experiment {
        RunConfig config;
        QString ownRun;
    };
    // `settings` and `theme` must outlive the dialog. `controlProgram` is the path of ringsidectl.
    PytorchDialog(const QString& controlProgram, Settings& settings, const Theme& theme, QWidget* parent);

    // Sets the experiment of the next comparison; ignored while one is running.
    void setExperiment(const Experiment& experiment);
    // Starts the comparison with the chosen interpreter.
    void start();
    bool isRunning() const { return m_comparison.isRunning(); }

  Q_SIGNALS:
    void runWanted(const QString& directory);  // emitted when the user clicks "Show PyTorch's run"; directory: run
                                               // directory of this run

  private:
    void addFields(QVBoxLayout& column);
    void addResult(QVBoxLayout& column);
    void addButtons(QVBoxLayout& column);
    void showProgress(PytorchComparison::Stage stage, qint64 step, qint64 steps);
    void showFailure(const QString& sentence);
    void showOutcome(const PytorchOutcome& outcome);
    void showLines();
    void cancel();
    void refreshButtons();

    Settings& m_settings;
    const Theme& m_theme;
    PytorchComparison m_comparison;
    Experiment m_experiment;
    std::optional<PytorchOutcome> m_outcome;
    QLabel* m_about;
    QComboBox* m_interpreter;
    QLabel* m_stage;
    QProgressBar* m_progress;
    QLabel* m_headline;
    QLabel* m_lines;
    QPushButton* m_start;
    QPushButton* m_cancel;
    QPushButton* m_open;
    QPushButton* m_copy;
    QPushButton* m_close;
};

}  // namespace ringside
