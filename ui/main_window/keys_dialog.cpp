// SPDX-License-Identifier: GPL-3.0-or-later
#include "main_window/keys_dialog.h"

#include <QGridLayout>
#include <QLabel>

#include "theme/theme.h"

namespace ringside {

QString plainText(const QAction& action) {
    QString text = action.text();
    text.remove(QLatin1Char('&'));
    if (text.endsWith(QStringLiteral("..."))) text.chop(3);
    return text;
}

KeysDialog::KeysDialog(const QList<QAction*>& actions, QWidget* parent) : QDialog(parent) {
    setObjectName(QStringLiteral("keysDialog"));
    setWindowTitle(tr("Keys"));
    setAttribute(Qt::WA_DeleteOnClose);
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(Theme::kSpace5, Theme::kSpace4, Theme::kSpace5, Theme::kSpace5);
    grid->setHorizontalSpacing(Theme::kSpace5);
    grid->setVerticalSpacing(6);
    auto* title = new QLabel(tr("Keys"), this);
    title->setProperty("role", "title");
    grid->addWidget(title, 0, 0, 1, 4);
    int shown = 0;
    constexpr int kRows = 11;
    for (const QAction* action : actions) {
        if (action->shortcut().isEmpty()) continue;
        auto* keys = new QLabel(action->shortcut().toString(QKeySequence::NativeText), this);
        keys->setProperty("role", "number");
        const int column = shown / kRows * 2;
        grid->addWidget(keys, 1 + shown % kRows, column);
        grid->addWidget(new QLabel(plainText(*action), this), 1 + shown % kRows, column + 1);
        ++shown;
    }
    auto* hint = new QLabel(tr("Pages add their own keys: hold the pointer over them to read which."), this);
    hint->setProperty("role", "note");
    grid->addWidget(hint, kRows + 1, 0, 1, 4);
}

}  // namespace ringside
