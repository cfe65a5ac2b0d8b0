// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/keys_dialog.h"

#include <QGridLayout>
#include <QLabel>
#include <QScrollArea>
#include <QScrollBar>
#include <QVBoxLayout>
#include <algorithm>

#include "theme/theme.h"

namespace ringside {
namespace {

constexpr int kMaxColumns = 3;
constexpr QSize kAround{40, 60};  // minimum difference in pixels between the sizes of the parent window and the dialog

}  // namespace

QString plainText(const QAction& action) {
    QString text = action.text().section(QLatin1Char('\t'), 0, 0);
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
    auto* area = new QScrollArea;  // scrolls if the list does not fit, in a small window or with a large type size
    area->setWidgetResizable(true);
    area->setWidget(list);
    whole->addWidget(area);
    auto* grid = new QGridLayout(list);
    grid->setContentsMargins(Theme::kSpace5, Theme::kSpace4, Theme::kSpace5, Theme::kSpace5);
    grid->setHorizontalSpacing(Theme::kSpace5);
    grid->setVerticalSpacing(6);
    QList<PageShortcut> lines;
    for (const QAction* action : actions) {
        // Keys such as "Space" and "Right" are not shortcuts of a QAction, because an event handler of the window
        // handles them. The property "keys" of the action contains these keys.
        const QString own = action->property("keys").toString();
        const QString keys = own.isEmpty() ? action->shortcut().toString(QKeySequence::NativeText) : own;
        if (!keys.isEmpty()) lines << PageShortcut{keys, plainText(*action)};
    }
    for (const Page* page : pages) lines << page->shortcuts();
    const QSize room = parent == nullptr ? QSize() : parent->window()->size() - kAround;
    addLines(*grid, lines, room.isEmpty() ? kMaxColumns : columnsFor(lines, room.width()));
    const QSize wanted = list->sizeHint() + QSize(area->verticalScrollBar()->sizeHint().width(), 2);
    resize(parent == nullptr ? wanted : wanted.boundedTo(room));
}

// Returns the number of columns, each with keys and their descriptions, that fit into `width` pixels.
int KeysDialog::columnsFor(const QList<PageShortcut>& lines, int width) const {
    const QFontMetrics metrics(font());
    int keys = 0, what = 0;
    for (const PageShortcut& line : lines) {
        keys = std::max(keys, metrics.horizontalAdvance(line.keys));
        what = std::max(what, metrics.horizontalAdvance(line.what));
    }
    constexpr double kSemibold = 1.1;  // width of a text in the semibold font of the keys, relative to the normal font
    const int column = static_cast<int>(kSemibold * keys) + what + 2 * Theme::kSpace5;
    return std::clamp((width - 2 * Theme::kSpace5) / column, 1, kMaxColumns);
}

void KeysDialog::addLines(QGridLayout& grid, const QList<PageShortcut>& lines, int columns) {
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
