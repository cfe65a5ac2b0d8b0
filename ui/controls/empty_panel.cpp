// SPDX-License-Identifier: GPL-3.0-or-later
#include "controls/empty_panel.h"

#include "theme/theme.h"

namespace ringside {

EmptyPanel::EmptyPanel(const QString& page, const QString& tip, QWidget* parent) : QFrame(parent) {
    setProperty("role", "panel");
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(Theme::kSpace5 * 2, Theme::kSpace5, Theme::kSpace5 * 2, Theme::kSpace5);
    layout->setSpacing(Theme::kSpace2);
    m_title = new QLabel;
    m_title->setObjectName(page + QStringLiteral("EmptyTitleLabel"));
    m_title->setProperty("role", "title");
    m_text = new QLabel;
    m_text->setObjectName(page + QStringLiteral("EmptyLabel"));
    m_text->setProperty("role", "muted");
    m_text->setWordWrap(true);
    layout->addStretch(1);
    for (QLabel* label : {m_title, m_text}) {
        label->setAlignment(Qt::AlignCenter);
        layout->addWidget(label);
    }
    if (!tip.isEmpty()) addButton(*layout, page, tip);
    layout->addStretch(1);
}

void EmptyPanel::addButton(QVBoxLayout& layout, const QString& page, const QString& tip) {
    m_action = new QPushButton;
    m_action->setObjectName(page + QStringLiteral("EmptyButton"));
    m_action->setToolTip(tip);
    m_action->hide();
    connect(m_action, &QPushButton::clicked, this, &EmptyPanel::actionWanted);
    layout.addSpacing(Theme::kSpace2);
    layout.addWidget(m_action, 0, Qt::AlignHCenter);
}

void EmptyPanel::showMessage(const QString& title, const QString& text, const QString& action) {
    if (m_action != nullptr) {
        m_action->setText(action);
        m_action->setVisible(!action.isEmpty());
    }
    m_title->setText(title);
    m_text->setText(text);
}

}  // namespace ringside
