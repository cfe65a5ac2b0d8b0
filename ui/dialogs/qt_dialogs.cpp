// SPDX-License-Identifier: GPL-3.0-or-later
#include "dialogs/qt_dialogs.h"

#include <QFileDialog>
#include <QHeaderView>
#include <QMessageBox>
#include <QPushButton>
#include <QRegularExpression>
#include <QScreen>
#include <QStyle>
#include <QTreeView>

namespace ringside {
namespace {

constexpr QSize kFileDialogSize{820, 520};
constexpr QSize kFrame{8,
                       40};  // assumed size of the borders and the title bar that a desktop adds to a dialog, in pixels

// Widens the columns of Qt's own file dialog, in which sizes and dates would be cut.
void fitColumns(QFileDialog& dialog) {
    if (auto* list = dialog.findChild<QTreeView*>()) {
        list->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
        list->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    }
}

// Returns the file suffix in a filter, such as "ringside.json" for "Experiments (*.ringside.json)".
QString suffixIn(const QString& filter) {
    static const QRegularExpression pattern(QStringLiteral("\\*\\.([^ )]+)"));
    return pattern.match(filter).captured(1);
}

}  // namespace

void QtDialogs::show(QFileDialog* dialog, const PathTaken& taken) {
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->resize(kFileDialogSize.boundedTo(dialog->screen()->availableSize() - kFrame));
    fitColumns(*dialog);
    QObject::connect(dialog, &QFileDialog::fileSelected, dialog, taken);
    dialog->open();
}

void QtDialogs::openFile(const QString& title, const QString& folder, const QString& filter, PathTaken taken) {
    auto* dialog = new QFileDialog(m_parent, title, folder, filter);
    dialog->setFileMode(QFileDialog::ExistingFile);
    show(dialog, taken);
}

void QtDialogs::saveFile(const QString& title, const QString& suggestion, const QString& filter, PathTaken taken) {
    auto* dialog = new QFileDialog(m_parent, title, suggestion, filter);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(suffixIn(filter));  // the dialog adds this suffix to a name without one, and then asks
                                                 // before it replaces an existing file
    dialog->selectFile(suggestion);
    show(dialog, taken);
}

void QtDialogs::openFolder(const QString& title, const QString& folder, PathTaken taken) {
    auto* dialog = new QFileDialog(m_parent, title, folder);
    dialog->setFileMode(QFileDialog::Directory);
    dialog->setOption(QFileDialog::ShowDirsOnly);
    show(dialog, taken);
}

void QtDialogs::showQuestion(const Question& question, AnswerTaken taken) {
    auto* box = new QMessageBox(QMessageBox::NoIcon, question.title, question.text, QMessageBox::NoButton, m_parent);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setObjectName(QStringLiteral("questionBox"));
    for (int i = 0; i < question.answers.size(); ++i) {
        QPushButton* button = box->addButton(question.answers[i], QMessageBox::ActionRole);
        if (i == question.preferred) {
            button->setProperty("role", "accent");
            button->style()->unpolish(button);
            button->style()->polish(button);
            box->setDefaultButton(button);
        }
        if (i == question.answers.size() - 1) box->setEscapeButton(button);
        QObject::connect(button, &QPushButton::clicked, box, [taken, i] { taken(i); });
    }
    box->open();
}

}  // namespace ringside
