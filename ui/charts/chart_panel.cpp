// SPDX-License-Identifier: GPL-3.0-or-later
#include "charts/chart_panel.h"

#include <QLabel>
#include <QVBoxLayout>

#include "theme/theme.h"

namespace ringside {

ChartPanel::ChartPanel(const QString& title, const QString& name, Theme& theme, QWidget* parent)
    : QFrame(parent),
      m_title(title),
      m_head(new QHBoxLayout),
      m_titleLine(new QBoxLayout(QBoxLayout::LeftToRight)),
      m_heading(new QLabel(title)),
      m_legend(new ChartLegend(theme)),
      m_chart(new LiveChart(theme)) {
    setProperty("role", "panel");
    setObjectName(name + QStringLiteral("Panel"));
    setAccessibleName(title);
    setFocusPolicy(Qt::StrongFocus);  // the copy key (Ctrl+C) copies the values of the chart while the panel has the
                                      // keyboard focus
    m_chart->setObjectName(name + QStringLiteral("Chart"));
    m_chart->setAccessibleName(title);
    m_legend->setObjectName(name + QStringLiteral("Legend"));
    m_heading->setProperty("role", "title");
    m_head->setContentsMargins(Theme::kSpace4 - 2, 0, Theme::kSpace4 - 2, 0);
    m_titleLine->addWidget(m_heading);
    m_titleLine->addWidget(m_legend, 1);
    m_head->addLayout(m_titleLine, 1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(2, Theme::kSpace2 + 2, 2, Theme::kSpace1);
    layout->setSpacing(Theme::kSpace1);
    layout->addLayout(m_head);
    layout->addWidget(m_chart, 1);
    connect(m_legend, &ChartLegend::hiddenChanged, m_chart, &LiveChart::setHidden);
}

void ChartPanel::addControl(QWidget* control) {
    m_head->addWidget(control);
}

void ChartPanel::setCurves(std::vector<Curve> curves, const AxisRange& wholeX) {
    m_legend->setCurves(curves);
    m_chart->setCurves(std::move(curves), wholeX);
}

void ChartPanel::setXTitle(const QString& title) {
    m_xTitle = title;
    m_chart->setXTitle(title);
}

bool ChartPanel::event(QEvent* event) {
    if (event->type() == QEvent::Resize || event->type() == QEvent::LayoutRequest) placeLegend();
    return QFrame::event(event);
}

// Places the legend below the title if all names fit only there, or if beside the title not even the first name fits.
void ChartPanel::placeLegend() {
    const QMargins margins = m_head->contentsMargins(), frame = layout()->contentsMargins();
    int below = contentsRect().width() - margins.left() - margins.right() - frame.left() - frame.right();
    for (int i = 1; i < m_head->count(); ++i) below -= m_head->itemAt(i)->sizeHint().width() + m_head->spacing();
    const int beside = below - m_heading->sizeHint().width() - Theme::kSpace2;
    const int all = m_legend->sizeHint().width();
    const bool isBeside = all <= beside || (all > below && m_legend->firstNameWidth() <= beside);
    m_titleLine->setDirection(isBeside ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
    m_titleLine->setSpacing(isBeside ? Theme::kSpace2 : 0);
    m_legend->setAtRight(isBeside);
}

QString ChartPanel::copyText() const {
    const QList<QStringList> rows = m_chart->tableRows();
    if (rows.isEmpty()) return {};
    QString text = QStringLiteral("series\t%1\tvalue\tminimum\tmaximum\tsmoothed\n").arg(m_xTitle);
    for (const QStringList& row : rows) text += row.join(QLatin1Char('\t')) + QLatin1Char('\n');
    return text;
}

}  // namespace ringside
