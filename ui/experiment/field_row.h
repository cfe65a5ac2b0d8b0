// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QWidget>

#include "words/form_fields.h"

class QHBoxLayout;

namespace ringside {

class ExperimentModel;
class FieldEditor;

// One row of the form: label, control, and below them the problem of the value, if there is one.
class FieldRow final : public QWidget {
    Q_OBJECT
  public:
    FieldRow(const FormField& field, ExperimentModel& model, QWidget* parent = nullptr);

    const FormField& field() const { return m_field; }
    QWidget* control() const;
    void append(QWidget* extra);  // adds an extra button after the control
    void refresh();               // shows the present value of the setting and its problem

  private:
    void addControl(QHBoxLayout* line);
    void showHint();
    void sizeControl();
    void applyEdit();

    const FormField& m_field;
    ExperimentModel& m_model;
    FieldEditor* m_editor;
    QHBoxLayout* m_line;
    QWidget* m_extra = nullptr;  // extra button after the control
    QLabel* m_problem;
    QLabel* m_hint = nullptr;  // warning about a valid but harmful value; null for fields that have no such value
};

}  // namespace ringside
