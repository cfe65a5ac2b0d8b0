// SPDX-License-Identifier: GPL-3.0-or-later
#include "help/help_dialog.h"

#include <QDesktopServices>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QRegularExpression>
#include <QScrollBar>
#include <QTextBlock>
#include <QTextCursor>
#include <QVBoxLayout>

#include "theme/dialog_size.h"
#include "theme/theme.h"
#include "theme/type_length.h"

namespace ringside {
namespace {

constexpr TypePixels kSideWidth{240};
constexpr QSize kSize{900, 560};

QString titleOf(const QString& path) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) return {};
    return QString::fromUtf8(file.readLine()).remove(QLatin1Char('#')).remove(QLatin1Char('`')).trimmed();
}

}  // namespace

HelpDialog::HelpDialog(const QString& folder, QWidget* parent) : QDialog(parent), m_folder(folder) {
    setObjectName(QStringLiteral("helpDialog"));
    setWindowTitle(tr("Documentation"));
    resizeDialog(*this, parent ? kSize.boundedTo(parent->window()->size()) : kSize);
    m_text = new QTextBrowser;
    m_text->setObjectName(QStringLiteral("helpTextBrowser"));
    m_text->setAccessibleName(tr("Document"));
    m_text->setOpenLinks(false);
    m_text->setSearchPaths({folder});
    connect(m_text, &QTextBrowser::anchorClicked, this, &HelpDialog::openLink);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(Theme::kSpace3, Theme::kSpace3, Theme::kSpace3, Theme::kSpace3);
    row->setSpacing(Theme::kSpace3);
    row->addWidget(makeSide());
    row->addWidget(m_text, 1);
    fillList();
}

QWidget* HelpDialog::makeSide() {
    auto* side = new QWidget;
    side->setProperty("role", "clear");
    followType(*side, [side] { side->setFixedWidth(kSideWidth); });
    auto* column = new QVBoxLayout(side);
    column->setContentsMargins(0, 0, 0, 0);
    m_search = new QLineEdit;
    m_search->setObjectName(QStringLiteral("helpSearchLineEdit"));
    m_search->setPlaceholderText(tr("Find in this document"));
    m_search->setAccessibleName(tr("Find in this document"));
    m_search->setToolTip(tr("Press Enter to show the next match"));
    connect(m_search, &QLineEdit::returnPressed, this, &HelpDialog::findNext);
    m_note = new QLabel;
    m_note->setObjectName(QStringLiteral("helpNoteLabel"));
    m_note->setProperty("role", "note");
    m_note->setWordWrap(true);
    m_note->hide();
    m_list = new QListWidget;
    m_list->setObjectName(QStringLiteral("helpListWidget"));
    m_list->setAccessibleName(tr("Documents"));
    m_list->setWordWrap(true);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    connect(m_list, &QListWidget::currentItemChanged, this, [this](const QListWidgetItem* item) {
        if (item) open(item->data(Qt::UserRole).toString());
    });
    column->addWidget(m_search);
    column->addWidget(m_note);
    column->addWidget(m_list, 1);
    return side;
}

void HelpDialog::fillList() {
    const QDir folder(m_folder);
    for (const QString& file : folder.entryList({QStringLiteral("*.md")}, QDir::Files, QDir::Name)) {
        auto* item = new QListWidgetItem(titleOf(folder.filePath(file)), m_list);
        item->setData(Qt::UserRole, file);
    }
    if (m_list->count() > 0) return;
    m_text->setPlainText(
        tr("%1 has no documents. Install Ringside again, or read the documents of its source code.").arg(m_folder));
}

bool HelpDialog::open(const QString& name) {
    // The document keeps the colour that links had when it was read.
    const QColor linkColor = QGuiApplication::palette().link().color();
    if (m_file == name && m_linkColor == linkColor) return true;
    QFile file(QDir(m_folder).filePath(name));
    if (!file.open(QIODevice::ReadOnly)) return false;
    m_file = name;
    m_linkColor = linkColor;
    m_note->hide();
    m_text->setMarkdown(QString::fromUtf8(file.readAll()));
    for (int row = 0; row < m_list->count(); ++row) {
        if (m_list->item(row)->data(Qt::UserRole).toString() == name) m_list->setCurrentRow(row);
    }
    return true;
}

void HelpDialog::show(const HelpTopic& topic) {
    QDialog::show();
    raise();
    activateWindow();
    if (!open(topic.file)) return;
    const QTextBlock heading = headingWith(topic.heading);
    if (!heading.isValid()) return goTo(QTextCursor(m_text->document()));
    QTextCursor place(heading);
    if (!topic.word.isEmpty()) {
        const QTextCursor word = m_text->document()->find(topic.word, place, QTextDocument::FindWholeWords);
        if (!word.isNull()) place = word;
    }
    goTo(place);
}

// Returns the heading of the document that contains `text`. Prefers headings of groups of settings, such as "Data:
// dataset", to other headings.
QTextBlock HelpDialog::headingWith(const QString& text) const {
    QTextBlock found;
    if (text.isEmpty()) return found;
    for (QTextBlock block = m_text->document()->begin(); block.isValid(); block = block.next()) {
        if (block.blockFormat().headingLevel() == 0) continue;
        const QString title = block.text();
        if (title == text || title.contains(QStringLiteral(": ") + text) ||
            title.contains(QStringLiteral(", ") + text) || title.contains(QStringLiteral("and ") + text))
            return block;
        if (!found.isValid() && title.contains(text)) found = block;
    }
    return found;
}

void HelpDialog::goTo(const QTextCursor& cursor) {
    // Scrolls to the end of the document first, because setTextCursor() scrolls only until the cursor is visible. Then
    // scrolls the line of the cursor to the top of the view.
    m_text->moveCursor(QTextCursor::End);
    m_text->setTextCursor(cursor);
    m_text->verticalScrollBar()->setValue(m_text->verticalScrollBar()->value() + m_text->cursorRect().top());
}

QString HelpDialog::currentLine() const {
    return m_text->textCursor().block().text();
}

void HelpDialog::findNext() {
    const bool found = m_text->find(m_search->text());
    if (!found) {
        m_text->moveCursor(QTextCursor::Start);
        m_note->setText(tr("\u201c%1\u201d does not occur after this place in the document.").arg(m_search->text()));
    }
    m_note->setVisible(!found);
}

void HelpDialog::openLink(const QUrl& link) {
    if (!link.isRelative()) {
        QDesktopServices::openUrl(link);
    } else if (link.path().isEmpty() || open(QFileInfo(link.path()).fileName())) {
        goTo(QTextCursor(blockOfAnchor(link.fragment())));
    }
}

// Returns the heading whose Markdown anchor is `anchor`, such as "throttled-ranks" for the heading "Throttled ranks".
// Returns the start of the document if no heading matches.
QTextBlock HelpDialog::blockOfAnchor(const QString& anchor) const {
    static const QRegularExpression others(QStringLiteral("[^\\w-]"), QRegularExpression::UseUnicodePropertiesOption);
    for (QTextBlock block = m_text->document()->begin(); block.isValid(); block = block.next()) {
        const QString made = block.text().toLower().replace(QLatin1Char(' '), QLatin1Char('-')).remove(others);
        if (block.blockFormat().headingLevel() > 0 && made == anchor) return block;
    }
    return m_text->document()->begin();
}

}  // namespace ringside
