// SPDX-License-Identifier: GPL-3.0-or-later
#include "training/logged_panel.h"

#include <QSignalBlocker>
#include <algorithm>

#include "theme/theme.h"
#include "words/field_text.h"

namespace ringside {
namespace {

// Returns the text on screen for the source of logged values ("tensorboard", "lightning" or "loss"); empty for any
// other source.
QString sourceText(const std::string& source) {
    if (source == "tensorboard") return LoggedPanel::tr("SummaryWriter");
    if (source == "lightning") return LoggedPanel::tr("self.log() of Lightning");
    if (source == "loss") return LoggedPanel::tr("Ringside's observation of backward()");
    return {};
}

// Returns the names of all charts in alphabetical order; Lightning's own "epoch" comes last.
QStringList groupsOf(const LoggedCurves& logged) {
    QStringList names;
    for (const auto& [tag, curve] : logged.curves())
        if (const QString name = loggedGroup(tag, curve.source); !names.contains(name)) names << name;
    const QString epoch = QStringLiteral("epoch");
    if (names.removeOne(epoch)) names << epoch;
    return names;
}

Curve curveOf(const std::string& tag, const LoggedCurves::Curve& logged, const QColor& color) {
    const QString name = QString::fromStdString(tag);
    Curve curve{QStringLiteral("logged.") + name, name, color, Curve::Kind::Line, {}};
    for (const SeriesPoint& point : logged.values.points()) {
        curve.points.push_back({static_cast<double>(point.step), point.mean, point.minimum, point.maximum});
        if (point.minimum < point.maximum) curve.kind = Curve::Kind::BandLine;
    }
    return curve;
}

}  // namespace

QString loggedGroup(const std::string& tag, const std::string& source) {
    if (source == "loss") return LoggedPanel::tr("losses at backward() by script line");
    const std::size_t slash = tag.find('/');
    return QString::fromStdString(slash == std::string::npos || slash == 0 ? tag : tag.substr(0, slash));
}

LoggedPanel::LoggedPanel(Theme& theme, QWidget* parent)
    : ChartPanel(tr("Logged values"), QStringLiteral("logged"), theme, parent),
      m_theme(theme),
      m_leftOut(new QLabel),
      m_groups(new QComboBox) {
    m_leftOut->setObjectName(QStringLiteral("loggedLeftOutLabel"));
    m_leftOut->setProperty("role", "note");
    m_leftOut->hide();
    addControl(m_leftOut);
    m_groups->setObjectName(QStringLiteral("loggedGroupCombo"));
    m_groups->setAccessibleName(tr("Logged values to show"));
    m_groups->setToolTip(
        tr("Select the logged values to show. Tags with the same text before the slash share a chart."));
    m_groups->hide();
    addControl(m_groups);
    connect(m_groups, &QComboBox::currentIndexChanged, this, &LoggedPanel::chartChosen);
    connect(&chart(), &LiveChart::crosshairMoved, &chart(), &LiveChart::setCrosshair);
    connect(&chart(), &LiveChart::xRangeChosen, &chart(), &LiveChart::setXRange);
    chart().setXText([](double x) { return tr("step %1").arg(groupedText(static_cast<std::int64_t>(x))); });
    setXTitle(tr("step"));
}

// Shows the first chart until the user chooses one. New tags can change which chart is the first.
void LoggedPanel::offerGroups(const QStringList& groups) {
    QStringList shown;
    for (int i = 0; i < m_groups->count(); ++i) shown << m_groups->itemText(i);
    m_groups->setVisible(groups.size() > 1);
    if (shown == groups) return;
    const QSignalBlocker blocker(m_groups);
    const QString chosen = m_groups->currentIndex() > 0 ? m_groups->currentText() : groups.value(0);
    m_groups->clear();
    m_groups->addItems(groups);
    m_groups->setCurrentIndex(std::max(0, static_cast<int>(groups.indexOf(chosen))));
}

void LoggedPanel::setCurvesOf(const LoggedCurves& logged) {
    offerGroups(groupsOf(logged));
    std::vector<Curve> curves;
    QStringList sources;
    std::int64_t stepsBackwards = 0;
    for (const auto& [tag, curve] : logged.curves()) {
        if (loggedGroup(tag, curve.source) != m_groups->currentText()) continue;
        curves.push_back(curveOf(tag, curve, m_theme.rankColor(static_cast<int>(curves.size()))));
        stepsBackwards += curve.stepsBackwards;
        if (const QString text = sourceText(curve.source); !text.isEmpty() && !sources.contains(text)) sources << text;
    }
    setToolTip(sources.isEmpty() ? QString() : tr("Logged with %1").arg(sources.join(QStringLiteral(", "))));
    showLeftOut(stepsBackwards, logged.tagsLeftOut());
    const AxisRange whole = wholeRange(curves);
    setCurves(std::move(curves), whole);
}

// Shows the numbers of logged values and of tags that the charts omit.
void LoggedPanel::showLeftOut(std::int64_t stepsBackwards, std::size_t tags) {
    QStringList parts;
    if (stepsBackwards > 0) parts << tr("%1 logged values omitted").arg(groupedText(stepsBackwards));
    if (tags > 0) parts << tr("%1 tags omitted").arg(groupedText(static_cast<std::int64_t>(tags)));
    m_leftOut->setVisible(!parts.isEmpty());
    m_leftOut->setText(parts.join(QStringLiteral(", ")));
    m_leftOut->setToolTip(
        tr("Omitted are values whose step is smaller than the latest step of the same tag, and tags beyond the "
           "first %1. Pass add_scalar() a step that grows over all epochs.")
            .arg(LoggedCurves::kMaxTags));
}

}  // namespace ringside
