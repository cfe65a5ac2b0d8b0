// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QDialog>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QTextBlock>
#include <QTextBrowser>

#include "help/help_topics.h"

namespace ringside {

// Dialog that shows the documents that are installed with Ringside. It works without a network. It is kept when it is
// closed, because reading a long document takes most of a second.
class HelpDialog final : public QDialog {
    Q_OBJECT
  public:
    // `folder` is the folder with the documents, which are Markdown files.
    explicit HelpDialog(const QString& folder, QWidget* parent = nullptr);

    // Opens the file of `topic` and scrolls to the first line with the topic's word below the topic's heading. If the
    // word is not found, scrolls to the heading; if the heading is not found, to the start of the file.
    void show(const HelpTopic& topic);
    QString file() const { return m_file; }
    // returns the text of the line to which the last call of show() or the last search has scrolled
    QString currentLine() const;

  private:
    QWidget* makeSide();
    void fillList();
    bool open(const QString& file);
    void openLink(const QUrl& link);
    void findNext();
    void goTo(const QTextCursor& cursor);
    QTextBlock headingWith(const QString& text) const;
    QTextBlock blockOfAnchor(const QString& anchor) const;

    QString m_folder;
    QString m_file;
    QColor m_linkColor;  // colour of the links in the text
    QListWidget* m_list = nullptr;
    QLineEdit* m_search = nullptr;
    QLabel* m_note = nullptr;
    QTextBrowser* m_text = nullptr;
};

}  // namespace ringside
