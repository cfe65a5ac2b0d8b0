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

// Form of the experiment in five sections. Each edit changes the ExperimentModel at once. Each row shows the problem
// that the ExperimentModel reports for its setting.
class ExperimentForm final : public QWidget {
    Q_OBJECT
  public:
    explicit ExperimentForm(ExperimentModel& model, QWidget* parent = nullptr);

    // Focuses the first field that has a problem and scrolls to this field. Returns false if no field has a problem.
    bool focusFirstProblem();
    // Unfolds the section of a setting, "parallel.world_size", and focuses its control. Returns false if the form has
    // no such setting.
    bool focusSetting(const char* path);
    // Focuses the control of the form that had the focus last; the control of the first setting if none had it yet.
    void focusLast();
    // Returns the folded sections, by the object names of their title buttons.
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
