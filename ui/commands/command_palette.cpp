// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/command_palette.h"

#include <QCoreApplication>
#include <QKeyEvent>
#include <QVBoxLayout>
#include <utility>

#include "commands/command_search.h"
#include "commands/keys_dialog.h"
#include "theme/theme.h"

namespace ringside {

CommandPalette::CommandPalette(const QList<QAction*>& actions, QWidget* parent, CommandsFor more)
    : QDialog(parent), m_actions(actions), m_more(std::move(more)) {
    setObjectName(QStringLiteral("commandPalette"));
    setWindowTitle(tr("Find a command"));
    setAttribute(Qt::WA_DeleteOnClose);
    resize(440, 360);
    m_line = new QLineEdit(this);
    m_line->setObjectName(QStringLiteral("commandLineEdit"));
    m_line->setPlaceholderText(tr("Type a command"));
    m_line->setAccessibleName(tr("Command"));
    m_line->installEventFilter(this);
    m_list = new QListWidget(this);
    m_list->setObjectName(QStringLiteral("commandListWidget"));
    m_list->setAccessibleName(tr("Commands"));
    m_list->setFocusPolicy(Qt::NoFocus);
    m_list->setWordWrap(true);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(Theme::kSpace3, Theme::kSpace3, Theme::kSpace3, Theme::kSpace3);
    column->addWidget(m_line);
    column->addWidget(m_list, 1);
    connect(m_line, &QLineEdit::textChanged, this, &CommandPalette::filter);
    connect(m_line, &QLineEdit::returnPressed, this, &CommandPalette::runCurrent);
    connect(m_list, &QListWidget::itemClicked, this, &CommandPalette::runCurrent);
    filter({});
}

void CommandPalette::filter(const QString& typed) {
    m_list->clear();
    m_list->setCurrentRow(-1);
    m_shown.clear();
    FoundCommands found = findCommands(m_actions, typed);
    if (const QList<QAction*> more = m_more ? m_more(typed) : QList<QAction*>(); !more.isEmpty())
        found = {found.onlySimilar ? more : more + found.actions};
    if (found.onlySimilar)
        addNote(tr("No command matches \u201c%1\u201d. Press Down to choose a similar one:").arg(typed.trimmed()));
    for (QAction* action : found.actions) {
        const QString keys = action->shortcut().toString(QKeySequence::NativeText);
        const QString text = plainText(*action);
        auto* item = new QListWidgetItem(keys.isEmpty() ? text : QStringLiteral("%1   (%2)").arg(text, keys), m_list);
        m_shown << action;
        if (action->isEnabled()) continue;
        item->setText(tr("%1   (not available now)").arg(text));
        item->setFlags(Qt::NoItemFlags);
        item->setForeground(palette().placeholderText());
    }
    // Selects the best match, so that Enter runs this command. Selects nothing if the listed commands are only similar
    // to the typed text, or if the best match is disabled; Enter then does nothing.
    if (!found.onlySimilar && !found.actions.isEmpty() && found.actions.first()->isEnabled()) m_list->setCurrentRow(0);
}

void CommandPalette::addNote(const QString& text) {
    auto* note = new QListWidgetItem(text, m_list);
    note->setFlags(Qt::NoItemFlags);
    note->setForeground(palette().placeholderText());
    m_shown << nullptr;
}

void CommandPalette::runCurrent() {
    const int row = m_list->currentRow();
    QAction* action = m_shown.value(row);
    if (action == nullptr || !action->isEnabled()) return;
    close();
    // Triggers the command after this dialog has closed, because the command may open another dialog.
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
