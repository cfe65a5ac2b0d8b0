// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QHBoxLayout>

#include "charts/chart_legend.h"
#include "charts/live_chart.h"

namespace ringside {

// A chart with its title and legend.
class ChartPanel : public QFrame {
    Q_OBJECT
  public:
    ChartPanel(const QString& title, const QString& name, Theme& theme, QWidget* parent = nullptr);

    LiveChart& chart() { return *m_chart; }
    ChartLegend& legend() { return *m_legend; }
    QString title() const { return m_title; }
    void addControl(QWidget* control);  // to the right of the legend
    void setCurves(std::vector<Curve> curves, const AxisRange& wholeX);

  private:
    QString m_title;
    QHBoxLayout* m_head;
    ChartLegend* m_legend;
    LiveChart* m_chart;
};

}  // namespace ringside
