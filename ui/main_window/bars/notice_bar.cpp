// SPDX-License-Identifier: GPL-3.0-or-later
#include "main_window/bars/notice_bar.h"

#include <QHBoxLayout>
#include <QStyle>

#include "theme/theme.h"

namespace ringside {

NoticeBar::NoticeBar(QWidget* parent) : QFrame(parent) {
    setObjectName(QStringLiteral("noticeBar"));
    setProperty("role", "notice");
    m_text = new QLabel(this);
    m_text->setObjectName(QStringLiteral("noticeLabel"));
    m_text->setWordWrap(true);
    m_text->setTextFormat(Qt::PlainText);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_action = new QPushButton(this);
    m_action->setObjectName(QStringLiteral("noticeActionButton"));
    m_action->setToolTip(tr("Suggested action for this message"));
    m_close = new QPushButton(tr("Dismiss"), this);
    m_close->setObjectName(QStringLiteral("noticeDismissButton"));
    m_close->setToolTip(tr("Hide this message"));
    auto* line = new QHBoxLayout(this);
    line->setContentsMargins(Theme::kSpace3, Theme::kSpace2, Theme::kSpace2, Theme::kSpace2);
    line->setSpacing(Theme::kSpace2);
    line->addWidget(m_text, 1);
    line->addWidget(m_action);
    line->addWidget(m_close);
    connect(m_close, &QPushButton::clicked, this, &QWidget::hide);
    connect(m_action, &QPushButton::clicked, this, [this] {
        hide();
        if (m_taken) m_taken();
    });
    hide();
}

void NoticeBar::showMessage(const QString& text, Tone tone) {
    offer(text, {}, {}, tone);
}

void NoticeBar::dismissFailure() {
    if (property("tone") == "danger") hide();
}

void NoticeBar::offer(const QString& text, const QString& action, std::function<void()> taken, Tone tone) {
    m_text->setText(text);
    m_action->setText(action);
    m_action->setVisible(!action.isEmpty());
    m_taken = std::move(taken);
    setProperty("tone", tone == Tone::Danger ? "danger" : "plain");
    style()->unpolish(this);
    style()->polish(this);
    show();
}

}  // namespace ringside
