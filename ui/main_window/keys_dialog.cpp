// SPDX-License-Identifier: GPL-3.0-or-later
#include "main_window/keys_dialog.h"

#include <QCoreApplication>
#include <QGridLayout>
#include <QLabel>

#include "theme/theme.h"

namespace ringside {
namespace {

constexpr int kColumns = 3;

struct KeyLine {
    QString keys, what;
};

QList<KeyLine> loomKeys() {
    const auto line = [](const char* keys, const char* what) {
        return KeyLine{QString::fromLatin1(keys), QCoreApplication::translate("KeysDialog", what)};
    };
    return {line("W / S", "Loom: zoom in, out"),          line("A / D", "Loom: earlier, later"),
            line("F", "Loom: the whole epoch"),           line("Home / End", "Loom: first, last cells"),
            line("Arrows", "Shards: move the selection"), line("Ctrl+F", "Shards: find a sample"),
            line("Space", "Deal: the next group")};
}

}  // namespace

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
    grid->addWidget(title, 0, 0, 1, 2 * kColumns);
    QList<KeyLine> lines;
    for (const QAction* action : actions) {
        if (action->shortcut().isEmpty()) continue;
        lines << KeyLine{action->shortcut().toString(QKeySequence::NativeText), plainText(*action)};
    }
    lines << loomKeys();
    const auto rows = static_cast<int>((lines.size() + kColumns - 1) / kColumns);
    for (int shown = 0; shown < lines.size(); ++shown) {
        auto* keys = new QLabel(lines[shown].keys, this);
        keys->setProperty("role", "number");
        const int column = shown / rows * 2;
        grid->addWidget(keys, 1 + shown % rows, column);
        grid->addWidget(new QLabel(lines[shown].what, this), 1 + shown % rows, column + 1);
    }
    auto* hint = new QLabel(tr("The keys of the loom work while it has the keyboard: click it first."), this);
    hint->setProperty("role", "note");
    grid->addWidget(hint, rows + 1, 0, 1, 2 * kColumns);
}

}  // namespace ringside
