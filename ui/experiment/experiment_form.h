// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <QWidget>
#include <vector>

class QScrollArea;

namespace ringside {

class ExperimentModel;
class FormSection;

// The experiment as five short sections; edits go to the model at once, and the model's problems come back to the rows.
class ExperimentForm final : public QWidget {
    Q_OBJECT
  public:
    explicit ExperimentForm(ExperimentModel& model, QWidget* parent = nullptr);

    // Puts the keyboard into the first field that has a problem and scrolls to it. False if no field has one.
    bool focusFirstProblem();
    // Sections of which only the title shows, by the names of their buttons.
    QStringList folded() const;
    void setFolded(const QStringList& sections);

  Q_SIGNALS:
    void browseRequested();   // the user wants to pick the data file
    void sweepRequested();    // the user wants to know how many workers load best
    void summaryRequested();  // the user wants to see the model's layers

  private:
    void addBrowseButton();
    void addSweepButton();
    void addSummaryButton();
    void addPaceButton();
    void refresh();
    void setLayoutsEnabled(bool enabled);

    ExperimentModel& m_model;
    std::vector<FormSection*> m_sections;
    QScrollArea* m_scroll = nullptr;
};

}  // namespace ringside
