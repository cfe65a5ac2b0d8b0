// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

#include "experiment/model_summary_table.h"

class QLabel;
class QPushButton;
class QTableView;

namespace ringside {

class ExperimentModel;

// Non-modal dialog that lists the layers of the experiment's neural network, as `ringsidectl config --summary` does.
// The dialog updates the list when the experiment changes.
class ModelSummaryDialog final : public QDialog {
    Q_OBJECT
  public:
    // `model`, the edited experiment, must outlive the dialog.
    explicit ModelSummaryDialog(ExperimentModel& model, QWidget* parent = nullptr);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void buildLayout();
    QWidget* makeButtons();
    void refresh();
    void fitColumns();
    void showSummary(const ModelSummary& summary);
    void showReason(const QString& whyNothing);
    void copy() const;

    ExperimentModel& m_model;
    ModelSummaryTable m_rows;
    ModelSummary m_summary;
    QTableView* m_table;
    QLabel* m_notes;
    QPushButton* m_copy;
};

}  // namespace ringside
