// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <functional>

namespace ringside {

struct Question {
    QString title;
    QString text;
    QStringList answers;  // texts of the buttons; the Escape key chooses the last one
    int preferred = 0;
};

// Interface for file dialogs and questions to the user. The functions return at once and pass the result to `taken`
// when the dialog closes: the chosen path (empty if the user cancelled the dialog), or the index of the chosen answer.
class Dialogs {
  public:
    using PathTaken = std::function<void(const QString& path)>;
    using AnswerTaken = std::function<void(int answer)>;

    virtual ~Dialogs() = default;
    virtual void openFile(const QString& title, const QString& folder, const QString& filter, PathTaken taken) = 0;
    virtual void saveFile(const QString& title, const QString& suggestion, const QString& filter, PathTaken taken) = 0;
    virtual void openFolder(const QString& title, const QString& folder, PathTaken taken) = 0;
    virtual void showQuestion(const Question& question, AnswerTaken taken) = 0;
};

}  // namespace ringside
