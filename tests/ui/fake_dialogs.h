// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <functional>

#include "dialogs/dialogs.h"

// Fake dialogs that return prepared answers immediately and record the questions.
struct FakeDialogs final : ringside::Dialogs {
    QString path;
    int answer = -1;  // answer to a question; -1: the question stays open
    QList<ringside::Question> questions;
    std::function<void()> beforeAnswer = [] {};  // called between a question and its answer

    void openFile(const QString&, const QString&, const QString&, PathTaken taken) override { taken(path); }
    void saveFile(const QString&, const QString&, const QString&, PathTaken taken) override { taken(path); }
    void openFolder(const QString&, const QString&, PathTaken taken) override { taken(path); }
    void showQuestion(const ringside::Question& question, AnswerTaken taken) override {
        questions << question;
        beforeAnswer();
        if (answer >= 0) taken(answer);
    }
};
