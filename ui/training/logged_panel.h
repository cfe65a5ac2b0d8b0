// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QComboBox>

#include "charts/chart_panel.h"
#include "models/logged_values.h"

namespace ringside {

// Chart of the values that a watched script logs by itself. Tags with a common prefix, such as "acc/train" and
// "acc/test", share a chart; a list selects the chart. The x axis is the step that the script passes.
class LoggedPanel final : public ChartPanel {
    Q_OBJECT
  public:
    explicit LoggedPanel(Theme& theme, QWidget* parent = nullptr);

    void setValues(const LoggedValues& values);
    // Returns the name of the x axis: the script's step, or the number of the value if its steps start again.
    QString xName() const;

  Q_SIGNALS:
    void chartChosen();  // call setValues() again

  private:
    void offerGroups(const QStringList& groups);

    Theme& m_theme;
    QComboBox* m_groups;
    bool m_countsValues = false;  // the steps of the script start again: the x axis is the number of the value
};

// Returns the curves of a group, for LoggedPanel. countsValues: x is the number of the value from 1 instead of the
// step.
std::vector<Curve> loggedCurves(const LoggedValues& values, const QString& group, bool countsValues,
                                const Theme& theme);

}  // namespace ringside
