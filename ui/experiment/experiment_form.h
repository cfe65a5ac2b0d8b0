// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <QWidget>
#include <vector>

class QScrollArea;

namespace ringside {

class ExperimentModel;
class FieldRow;
class FormSection;

// Form of the experiment in five sections. Each edit changes the ExperimentModel at once. Each row edits one setting
// and shows the problem that the ExperimentModel reports for this setting.
class ExperimentForm final : public QWidget {
    Q_OBJECT
  public:
    explicit ExperimentForm(ExperimentModel& model, QWidget* parent = nullptr);

    // Gives the keyboard focus to the first field that has a problem and scrolls to it. Returns false if no field has a
    // problem.
    bool focusFirstProblem();
    // Unfolds the section of a setting, such as "parallel.world_size", and gives the keyboard focus to the setting's
    // control. Returns false if the form has no such setting.
    bool focusSetting(const char* path);
    // Gives the keyboard focus to the control of the form that had it last, or to the first control if none had it
    // before.
    void focusLast();
    // Returns the object names of the title buttons of all folded sections.
    QStringList folded() const;
    void setFolded(const QStringList& sections);

  Q_SIGNALS:
    void browseRequested();   // emitted when the user wants to choose the file or folder with the samples
    void sweepRequested();    // emitted when the user wants to measure which number of workers loads fastest
    void summaryRequested();  // emitted when the user wants to see the model's layers

  private:
    void addBrowseButton();
    void addSweepButton();
    void addModelSummaryButton();
    void addThrottleButton();
    void refresh();
    void setRelayoutEnabled(bool enabled);
    void layOutAround(const FieldRow* row);

    ExperimentModel& m_model;
    std::vector<FormSection*> m_sections;
    QScrollArea* m_scroll = nullptr;
};

}  // namespace ringside
