// SPDX-License-Identifier: GPL-3.0-or-later
#include "main_window/command_palette.h"

#include <QCoreApplication>
#include <QKeyEvent>
#include <QVBoxLayout>

#include "main_window/keys_dialog.h"
#include "theme/theme.h"

namespace ringside {

CommandPalette::CommandPalette(const QList<QAction*>& actions, QWidget* parent) : QDialog(parent), m_actions(actions) {
    setObjectName(QStringLiteral("commandPalette"));
    setWindowTitle(tr("Find a command"));
    setAttribute(Qt::WA_DeleteOnClose);
    resize(440, 360);
    m_line = new QLineEdit(this);
    m_line->setObjectName(QStringLiteral("commandLineEdit"));
    m_line->setPlaceholderText(tr("Type a few letters of a command"));
    m_line->setAccessibleName(tr("Command"));
    m_line->installEventFilter(this);
    m_list = new QListWidget(this);
    m_list->setObjectName(QStringLiteral("commandListWidget"));
    m_list->setAccessibleName(tr("Commands"));
    m_list->setFocusPolicy(Qt::NoFocus);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(Theme::kSpace3, Theme::kSpace3, Theme::kSpace3, Theme::kSpace3);
    column->addWidget(m_line);
    column->addWidget(m_list, 1);
    connect(m_line, &QLineEdit::textChanged, this, &CommandPalette::filter);
    connect(m_line, &QLineEdit::returnPressed, this, &CommandPalette::runCurrent);
    connect(m_list, &QListWidget::itemClicked, this, &CommandPalette::runCurrent);
    filter({});
}

bool CommandPalette::matches(const QString& text, const QString& typed) {
    qsizetype from = 0;
    for (const QChar letter : typed) {
        if (letter.isSpace()) continue;
        from = text.indexOf(letter, from, Qt::CaseInsensitive);
        if (from < 0) return false;
        ++from;
    }
    return true;
}

void CommandPalette::filter(const QString& typed) {
    m_list->clear();
    m_shown.clear();
    for (QAction* action : m_actions) {
        const QString text = plainText(*action);
        if (!action->isEnabled() || !matches(text, typed)) continue;
        const QString keys = action->shortcut().toString(QKeySequence::NativeText);
        m_list->addItem(keys.isEmpty() ? text : QStringLiteral("%1   (%2)").arg(text, keys));
        m_shown << action;
    }
    m_list->setCurrentRow(0);
}

void CommandPalette::runCurrent() {
    const int row = m_list->currentRow();
    if (row < 0 || row >= m_shown.size()) return;
    QAction* action = m_shown[row];
    close();
    // After this dialog is gone: the command may open another one.
    QMetaObject::invokeMethod(action, &QAction::trigger, Qt::QueuedConnection);
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Up || key == Qt::Key_Down) {
            QCoreApplication::sendEvent(m_list, event);
            return true;
        }
    }
    return QDialog::eventFilter(watched, event);
}

}  // namespace ringside
