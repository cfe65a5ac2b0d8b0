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

// Section of the form with a title, rows, rarely needed rows that the button "More" shows, and a summarizing text below
// the rows.
class FormSection final : public QWidget {
    Q_OBJECT
  public:
    FormSection(FormSectionId id, ExperimentModel& model, QWidget* parent = nullptr);

    FormSectionId id() const { return m_id; }
    QString name() const { return m_name->objectName(); }
    FieldRow* row(const char* path) const;
    QPushButton* addToTitle(const QString& text);  // adds a button to the title line, to the left of "More"
    void refresh();
    void setSentence(const QString& text);
    // Shows or hides the rarely needed fields. refresh() shows them if a hidden field has a problem.
    void setExpanded(bool expanded);
    // Hides or shows everything in the section except its title. refresh() unfolds the section if one of its fields has
    // a problem.
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
    QPushButton* m_name = nullptr;  // title of the section; checked if the section is folded
    QPushButton* m_more = nullptr;
    QFrame* m_sentenceFrame = nullptr;
    QLabel* m_sentence = nullptr;
};

}  // namespace ringside
