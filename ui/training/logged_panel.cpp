// SPDX-License-Identifier: GPL-3.0-or-later
#include "training/logged_panel.h"

#include <QSignalBlocker>
#include <algorithm>
#include <cmath>

#include "theme/theme.h"

namespace ringside {
namespace {

// Returns the PyTorch function that a source stands for.
QString sourceText(const std::string& source) {
    if (source == "tensorboard") return LoggedPanel::tr("SummaryWriter");
    if (source == "lightning") return LoggedPanel::tr("self.log of Lightning");
    if (source == "loss") return LoggedPanel::tr("lines that call backward()");
    return {};
}

QString nameOf(const LoggedTag& series, bool hasSeveralRanks) {
    const QString tag = QString::fromStdString(series.tag);
    return hasSeveralRanks ? LoggedPanel::tr("%1, rank %2").arg(tag).arg(series.rank) : tag;
}

}  // namespace

LoggedPanel::LoggedPanel(Theme& theme, QWidget* parent)
    : ChartPanel(tr("Logged by the script"), QStringLiteral("logged"), theme, parent),
      m_theme(theme),
      m_groups(new QComboBox) {
    m_groups->setObjectName(QStringLiteral("loggedGroupCombo"));
    m_groups->setAccessibleName(tr("Logged values to show"));
    m_groups->setToolTip(tr("Logged values to show; tags with the same text before the slash share a chart"));
    m_groups->hide();
    addControl(m_groups);
    connect(m_groups, &QComboBox::currentIndexChanged, this, &LoggedPanel::chartChosen);
    connect(&chart(), &LiveChart::crosshairMoved, &chart(), &LiveChart::setCrosshair);
    connect(&chart(), &LiveChart::xRangeChosen, &chart(), &LiveChart::setXRange);
    chart().setXText([this](double x) { return tr("%1 %2").arg(xName()).arg(static_cast<qint64>(x)); });
}

void LoggedPanel::offerGroups(const QStringList& groups) {
    QStringList shown;
    for (int i = 0; i < m_groups->count(); ++i) shown << m_groups->itemText(i);
    m_groups->setVisible(groups.size() > 1);
    if (shown == groups) return;
    const QSignalBlocker blocker(m_groups);
    // The user's choice stays. Before a choice, "epoch" gives way to the first value that arrives after it.
    const QString chosen = m_groups->currentIndex() > 0 ? m_groups->currentText() : groups.value(0);
    m_groups->clear();
    m_groups->addItems(groups);
    m_groups->setCurrentIndex(std::max(0, static_cast<int>(groups.indexOf(chosen))));
}

void LoggedPanel::setValues(const LoggedValues& values) {
    offerGroups(values.groups());
    const QString group = m_groups->currentText();
    QStringList sources;
    m_countsValues = false;
    for (const LoggedTag& one : values.series()) {
        if (one.group() != group) continue;
        m_countsValues = m_countsValues || !one.stepsNeverDecrease;
        if (const QString text = sourceText(one.source); !text.isEmpty() && !sources.contains(text)) sources << text;
    }
    setToolTip(sources.isEmpty() ? QString() : tr("Logged with %1").arg(sources.join(QStringLiteral(", "))));
    chart().setXTitle(xName());
    std::vector<Curve> curves = loggedCurves(values, group, m_countsValues, m_theme);
    const AxisRange whole = wholeRange(curves);
    setCurves(std::move(curves), whole);
}

QString LoggedPanel::xName() const {
    return m_countsValues ? tr("value number") : tr("step");
}

std::vector<Curve> loggedCurves(const LoggedValues& values, const QString& group, bool countsValues,
                                const Theme& theme) {
    std::vector<Curve> curves;
    for (const LoggedTag& one : values.series()) {
        if (one.group() != group) continue;
        const QString key = QStringLiteral("logged.%1.%2").arg(QString::fromStdString(one.tag)).arg(one.rank);
        Curve curve{key,
                    nameOf(one, values.hasSeveralRanks(one)),
                    theme.rankColor(static_cast<int>(curves.size())),
                    Curve::Kind::Line,
                    {}};
        const double every =
            static_cast<double>(one.count) / static_cast<double>(std::max<std::size_t>(1, one.points.size()));
        for (std::size_t i = 0; i < one.points.size(); ++i) {
            const double number = 1 + std::floor(every * static_cast<double>(i));
            curve.points.push_back(
                {countsValues ? number : static_cast<double>(one.points[i].step), one.points[i].value, 0, 0});
        }
        curves.push_back(std::move(curve));
    }
    return curves;
}

}  // namespace ringside
