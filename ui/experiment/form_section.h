// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QLabel>
#include <QPushButton>
#include <vector>

#include "words/form_fields.h"

class QHBoxLayout;
class QVBoxLayout;

namespace ringside {

class ExperimentModel;
class FieldRow;

// A titled part of the form with its rows, its rarely needed rows behind "More", and one plain sentence below.
class FormSection final : public QWidget {
    Q_OBJECT
  public:
    FormSection(FormSectionId id, ExperimentModel& model, QWidget* parent = nullptr);

    FormSectionId id() const { return m_id; }
    QString name() const { return m_name->objectName(); }
    FieldRow* row(const char* path) const;
    QPushButton* addToTitle(const QString& text);  // a quiet button beside More
    void refresh();
    void setSentence(const QString& text);
    // Shows the section's rare fields, as when one of them has a problem.
    void setExpanded(bool expanded);
    // Only its title is left, until it is unfolded or one of its fields has a problem.
    void setFolded(bool folded);
    bool isFolded() const { return m_name->isChecked(); }

  private:
    void addTitle(QVBoxLayout* column);
    void addRows(QVBoxLayout* column);
    void addSentence(QVBoxLayout* column);
    bool hasProblem() const;
    bool hiddenRowHasProblem() const;
    void showName();

    FormSectionId m_id;
    ExperimentModel& m_model;
    std::vector<FieldRow*> m_rows;
    QHBoxLayout* m_title = nullptr;
    QPushButton* m_name = nullptr;  // checked: folded
    QPushButton* m_more = nullptr;
    QFrame* m_sentenceFrame = nullptr;
    QLabel* m_sentence = nullptr;
};

}  // namespace ringside
