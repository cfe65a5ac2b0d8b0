// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QWidget>

#include "words/form_fields.h"

class QHBoxLayout;

namespace ringside {

class ExperimentModel;
class FieldEditor;

// One line of the form: label, control, and below it the problem of what was typed.
class FieldRow final : public QWidget {
    Q_OBJECT
  public:
    FieldRow(const FormField& field, ExperimentModel& model, QWidget* parent = nullptr);

    const FormField& field() const { return m_field; }
    QWidget* control() const;
    void append(QWidget* extra);  // a button behind the control
    void refresh();               // value and problem from the model

  private:
    void addControl(QHBoxLayout* line);
    void showHint();
    void applyEdit();

    const FormField& m_field;
    ExperimentModel& m_model;
    FieldEditor* m_editor;
    QHBoxLayout* m_line;
    QLabel* m_problem;
    QLabel* m_hint = nullptr;  // what the value does that one may not want; only where there is such a value
};

}  // namespace ringside
