// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/keys_dialog.h"

#include <QGridLayout>
#include <QLabel>

#include "theme/theme.h"

namespace ringside {
namespace {

constexpr int kColumns = 3;

}  // namespace

QString plainText(const QAction& action) {
    QString text = action.text();
    text.remove(QLatin1Char('&'));
    if (text.endsWith(QStringLiteral("..."))) text.chop(3);
    return text;
}

KeysDialog::KeysDialog(const QList<QAction*>& actions, const QList<Page*>& pages, QWidget* parent) : QDialog(parent) {
    setObjectName(QStringLiteral("keysDialog"));
    setWindowTitle(tr("Keys"));
    setAttribute(Qt::WA_DeleteOnClose);
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(Theme::kSpace5, Theme::kSpace4, Theme::kSpace5, Theme::kSpace5);
    grid->setHorizontalSpacing(Theme::kSpace5);
    grid->setVerticalSpacing(6);
    auto* title = new QLabel(tr("Keys"), this);
    title->setProperty("role", "title");
    grid->addWidget(title, 0, 0, 1, 2 * kColumns);
    QList<PageKey> lines;
    for (const QAction* action : actions) {
        const QString own = action->property("keys").toString();  // a key that controls also use
        const QString keys = own.isEmpty() ? action->shortcut().toString(QKeySequence::NativeText) : own;
        if (!keys.isEmpty()) lines << PageKey{keys, plainText(*action)};
    }
    for (const Page* page : pages) lines << page->keys();
    const auto rows = static_cast<int>((lines.size() + kColumns - 1) / kColumns);
    for (int shown = 0; shown < lines.size(); ++shown) {
        auto* keys = new QLabel(lines[shown].keys, this);
        keys->setProperty("role", "number");
        const int column = shown / rows * 2;
        grid->addWidget(keys, 1 + shown % rows, column);
        grid->addWidget(new QLabel(lines[shown].what, this), 1 + shown % rows, column + 1);
    }
    auto* hint = new QLabel(
        tr("The keys of a page work while it has the keyboard: click it, or press Ctrl and its number."), this);
    hint->setProperty("role", "note");
    grid->addWidget(hint, rows + 1, 0, 1, 2 * kColumns);
}

}  // namespace ringside
