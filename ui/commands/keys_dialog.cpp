// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/keys_dialog.h"

#include <QGridLayout>
#include <QLabel>
#include <QScrollArea>
#include <QScrollBar>
#include <QVBoxLayout>

#include "theme/theme.h"
#include "theme/type_length.h"

namespace ringside {
namespace {

constexpr QSize kAround{40, 60};  // distance between the edges of the window and the dialog, in pixels

}  // namespace

QString plainText(const QAction& action) {
    QString text = action.text();
    text.remove(QLatin1Char('&'));
    if (text.endsWith(QStringLiteral("..."))) text.chop(3);
    return text;
}

KeysDialog::KeysDialog(const QList<QAction*>& actions, const QList<Page*>& pages, QWidget* parent) : QDialog(parent) {
    setObjectName(QStringLiteral("keysDialog"));
    setWindowTitle(tr("Keyboard shortcuts"));
    setAttribute(Qt::WA_DeleteOnClose);
    auto* whole = new QVBoxLayout(this);
    whole->setContentsMargins(0, 0, 0, 0);
    auto* list = new QWidget;
    list->setProperty("role", "clear");
    auto* area = new QScrollArea;  // a small window or a large type size needs scrolling
    area->setWidgetResizable(true);
    area->setWidget(list);
    whole->addWidget(area);
    auto* grid = new QGridLayout(list);
    grid->setContentsMargins(Theme::kSpace5, Theme::kSpace4, Theme::kSpace5, Theme::kSpace5);
    grid->setHorizontalSpacing(Theme::kSpace5);
    grid->setVerticalSpacing(6);
    QList<PageKey> lines;
    for (const QAction* action : actions) {
        const QString own = action->property("keys").toString();  // keys that the action's control handles itself
        const QString keys = own.isEmpty() ? action->shortcut().toString(QKeySequence::NativeText) : own;
        if (!keys.isEmpty()) lines << PageKey{keys, plainText(*action)};
    }
    for (const Page* page : pages) lines << page->keys();
    const int columns = typePercent() > Theme::kNormalType ? 2 : 3;
    addLines(*grid, lines, columns);
    const QSize room = parent == nullptr ? QSize() : parent->window()->size() - kAround;
    const QSize wanted = list->sizeHint() + QSize(area->verticalScrollBar()->sizeHint().width(), 2);
    resize(parent == nullptr ? wanted : wanted.boundedTo(room));
}

void KeysDialog::addLines(QGridLayout& grid, const QList<PageKey>& lines, int columns) {
    auto* title = new QLabel(tr("Keyboard shortcuts"));
    title->setProperty("role", "title");
    grid.addWidget(title, 0, 0, 1, 2 * columns);
    const auto rows = static_cast<int>((lines.size() + columns - 1) / columns);
    for (int shown = 0; shown < lines.size(); ++shown) {
        auto* keys = new QLabel(lines[shown].keys);
        keys->setProperty("role", "number");
        const int column = shown / rows * 2;
        grid.addWidget(keys, 1 + shown % rows, column);
        grid.addWidget(new QLabel(lines[shown].what), 1 + shown % rows, column + 1);
    }
    auto* hint =
        new QLabel(tr("The keys of a page work while the page has the keyboard focus: click the page, or press Ctrl "
                      "and its number."));
    hint->setProperty("role", "note");
    hint->setWordWrap(true);
    grid.addWidget(hint, rows + 1, 0, 1, 2 * columns);
}

}  // namespace ringside
