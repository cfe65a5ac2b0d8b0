// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCheckBox>
#include <QLabel>
#include <QMenu>
#include <QSlider>
#include <QWidget>

#include "charts/axis_ticks.h"
#include "controls/segmented_control.h"
#include "training/curve_source.h"

namespace ringside {

// Row of controls above the charts: smoothing, x axis, logarithmic y axis, one curve per rank, export. In a narrow page
// the controls wrap into several rows.
class TrainingToolRow : public QWidget {
    Q_OBJECT
  public:
    explicit TrainingToolRow(QWidget* parent = nullptr);

    double smoothing() const;  // returns the weight of the exponential moving average; 0: no smoothing
    XAxis xAxis() const { return static_cast<XAxis>(m_axis->current()); }
    QString xAxisName() const;  // returns the name of the x axis as a table column, such as "step" or "seconds"
    NumberStyle xStyle() const;
    bool logY() const { return m_logY->isChecked(); }
    void toggleLogY() { m_logY->toggle(); }
    bool fanOut() const { return m_fanOut->isChecked(); }
    void setFanOut(bool on) { m_fanOut->setChecked(on); }
    bool ignoreOutliers() const { return m_outliers->isChecked(); }
    QList<QAction*> exportActions() const { return m_export->actions(); }

  Q_SIGNALS:
    void changed();
    void axisChanged();
    void exportWanted(const QString& suffix);

  private:
    QSlider* makeSlider();
    SegmentedControl* makeAxis();
    QCheckBox* makeSwitch(const QString& text, const char* name, const QString& tip);
    QWidget* makeExportButton();
    void showSmoothing();

    QSlider* m_smoothing;
    QLabel* m_smoothingValue;
    SegmentedControl* m_axis;
    QCheckBox* m_logY;
    QCheckBox* m_fanOut;
    QCheckBox* m_outliers;
    QMenu* m_export = nullptr;
};

}  // namespace ringside
