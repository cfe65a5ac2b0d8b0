// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QHBoxLayout>

#include "charts/chart_legend.h"
#include "charts/live_chart.h"
#include "identity/text_source.h"

class QLabel;

namespace ringside {

// Panel with a chart, its title and its legend. The legend is below the title if its names do not fit beside the title.
class ChartPanel : public QFrame, public TextSource {
    Q_OBJECT
  public:
    ChartPanel(const QString& title, const QString& name, Theme& theme, QWidget* parent = nullptr);

    LiveChart& chart() { return *m_chart; }
    ChartLegend& legend() { return *m_legend; }
    QString title() const { return m_title; }
    void addControl(QWidget* control);  // adds a control to the right of the legend
    void setCurves(std::vector<Curve> curves, const AxisRange& wholeX);
    void setXTitle(const QString& title);  // sets the title of the x axis, such as "step"
    QString copyText() const override;     // returns the values of the visible curves in the visible x range

  protected:
    bool event(QEvent* event) override;  // places the legend again when the size of the panel or of a part changes

  private:
    void placeLegend();

    QString m_title;
    QHBoxLayout* m_head;
    QBoxLayout* m_titleLine;  // contains the title and, beside or below it, the legend
    QLabel* m_heading;
    QString m_xTitle = QStringLiteral("x");
    ChartLegend* m_legend;
    LiveChart* m_chart;
};

}  // namespace ringside
