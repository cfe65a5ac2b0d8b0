// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/page/alarm_banner.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

#include "controls/wrapped_text.h"
#include "theme/theme.h"

namespace ringside {
namespace {

QPushButton* button(const QString& text, const QString& tip, const char* name) {
    auto* made = new QPushButton(text);
    made->setToolTip(tip);
    made->setObjectName(QLatin1String(name));
    return made;
}

}  // namespace

AlarmBanner::AlarmBanner(QWidget* parent) : QFrame(parent) {
    setObjectName(QStringLiteral("alarmBanner"));
    setProperty("role", "alarm");
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(Theme::kSpace4, Theme::kSpace2, Theme::kSpace3, Theme::kSpace2);
    layout->setSpacing(Theme::kSpace3);
    auto* words = new QVBoxLayout;
    words->setSpacing(2);
    m_title = new WrappedText;
    m_title->setText(tr("The ranks did not train on the planned samples"));
    m_text = new WrappedText;
    m_text->setObjectName(QStringLiteral("alarmLabel"));
    m_hint = new WrappedText;
    m_hint->setObjectName(QStringLiteral("alarmHintLabel"));
    m_title->setProperty("role", "alarmTitle");
    for (QLabel* label : {m_title, m_text, m_hint}) {
        label->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Ignored);  // its minimum height is its height
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
        // A right click reaches the window, which then shows the context menu of the sample that the text names.
        label->setContextMenuPolicy(Qt::NoContextMenu);
        words->addWidget(label);
    }
    layout->addLayout(words, 1);
    m_report = button(tr("Report samples next time"),
                      tr("The next run reports every sample that it trains on, at any speed"), "alarmReportButton");
    auto* show = button(tr("Show in grid"), tr("Show this epoch, rank and slot in the grid"), "alarmShowButton");
    layout->addWidget(m_report);
    layout->addWidget(show);
    connect(show, &QPushButton::clicked, this, &AlarmBanner::showWanted);
    connect(m_report, &QPushButton::clicked, this, &AlarmBanner::reportWanted);
    hide();
}

void AlarmBanner::setAlarm(const QString& sentence, bool isSampleUnknown, const std::vector<Identity>& subjects) {
    m_isSampleUnknown = isSampleUnknown;
    m_subjects = subjects;
    m_text->setText(sentence);
    setVisible(!sentence.isEmpty());
    refresh();
}

void AlarmBanner::setReporting(bool reporting) {
    m_reporting = reporting;
    refresh();
}

void AlarmBanner::refresh() {
    m_hint->setVisible(m_isSampleUnknown);
    m_hint->setText(m_reporting
                        ? tr("The next run will report each sample: click Run.")
                        : tr("At this speed only a hash of each epoch is reported, so the sample is not known."));
    m_report->setVisible(m_isSampleUnknown && !m_reporting);
}

std::vector<Identity> AlarmBanner::identitiesAt(const QPoint&) const {
    return m_subjects;
}

QString AlarmBanner::copyText() const {
    return m_title->text() + QLatin1Char('\n') + m_text->text() + QLatin1Char('\n');
}

}  // namespace ringside
