// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QComboBox>
#include <QLabel>

#include "charts/chart_panel.h"
#include "telemetry/data/logged_curves.h"

namespace ringside {

// Chart of the values that a watched PyTorch script logs, for example with add_scalar(). Tags with the same prefix,
// such as "acc/train" and "acc/test", share a chart; a list selects the visible chart. The x axis is the step that the
// script passes with each value.
class LoggedPanel final : public ChartPanel {
    Q_OBJECT
  public:
    explicit LoggedPanel(Theme& theme, QWidget* parent = nullptr);

    void setCurvesOf(const LoggedCurves& logged);

  Q_SIGNALS:
    void chartChosen();  // emitted when the user selects another chart; the receiver must call setCurvesOf()

  private:
    void offerGroups(const QStringList& groups);
    void showLeftOut(std::int64_t stepsBackwards, std::size_t tags);

    Theme& m_theme;
    QLabel* m_leftOut;
    QComboBox* m_groups;
};

// Returns the name of the chart that shows a tag: "acc" for "acc/train"; the complete tag if it has no slash. The
// losses of several backward() calls share one chart.
QString loggedGroup(const std::string& tag, const std::string& source);

}  // namespace ringside
