// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

#include "experiment/model_summary_table.h"

class QLabel;
class QPushButton;
class QTableView;

namespace ringside {

class ExperimentModel;

// The experiment's model layer by layer, as `ringsidectl config --summary` prints it. Follows the form. Not modal.
class ModelSummaryDialog final : public QDialog {
    Q_OBJECT
  public:
    explicit ModelSummaryDialog(ExperimentModel& model, QWidget* parent = nullptr);  // the model outlives it

  private:
    void buildLayout();
    QWidget* makeButtons();
    void refresh();
    void showSummary(const ModelSummary& summary);
    void say(const QString& whyNothing);
    void copy() const;

    ExperimentModel& m_model;
    ModelSummaryTable m_rows;
    ModelSummary m_summary;
    QTableView* m_table;
    QLabel* m_notes;
    QPushButton* m_copy;
};

}  // namespace ringside
