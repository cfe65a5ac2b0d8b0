// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QPushButton>
#include <QStringList>

#include "main_window/bars/plain_dock.h"

namespace ringside {

class ElidedLabel;
class ExperimentForm;
class ExperimentModel;

// Dock at the left of the window: the name of the experiment's file, the form, and the settings in which the form
// differs from the shown run.
class ExperimentDock final : public PlainDock {
    Q_OBJECT
  public:
    ExperimentDock(ExperimentModel& experiment, QWidget* parent);

    ExperimentForm& form() { return *m_form; }
    // Returns the frame around the form's panel. Another panel in the same frame can take the form's place.
    QWidget& frame() { return *m_frame; }
    QWidget* panel() { return m_panel; }

    void setFileName(const QString& name, const QString& tip);
    // Shows the names of the settings in which the form differs from the shown run. `isLive`: the run is live, so the
    // text explains that the changes apply to the next run.
    void showChanges(const QStringList& settings, bool isLive);
    // Shows a button that applies changed settings to the live run. changes: names of these settings; empty: hides the
    // button.
    void offerChanges(const QString& changes);
    // Fits the width of the form to the type size and to the width of the window, in pixels.
    void fitTo(int windowWidth);
    // Moves the keyboard focus into the form, and shows the dock.
    void focusForm();
    bool hasKeyboard() const;

  Q_SIGNALS:
    void applyWanted();

  private:
    QLayout* makeHeader();
    QWidget* makePanel(ExperimentModel& experiment);
    void addChanges(QWidget& panel);

    QWidget* m_frame;
    QWidget* m_panel = nullptr;
    ElidedLabel* m_fileName = nullptr;
    QLabel* m_changes = nullptr;
    QPushButton* m_apply = nullptr;
    ExperimentForm* m_form = nullptr;
    int m_windowWidth = 0;
};

}  // namespace ringside
