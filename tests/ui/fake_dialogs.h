// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>

#include "dialogs/dialogs.h"

// Answers at once with what the test laid out, and remembers what was asked.
struct FakeDialogs final : ringside::Dialogs {
    QString path;
    int answer = -1;  // -1: leaves the question open
    QList<ringside::Question> asked;

    void openFile(const QString&, const QString&, const QString&, PathTaken taken) override { taken(path); }
    void saveFile(const QString&, const QString&, const QString&, PathTaken taken) override { taken(path); }
    void openFolder(const QString&, const QString&, PathTaken taken) override { taken(path); }
    void ask(const ringside::Question& question, AnswerTaken taken) override {
        asked << question;
        if (answer >= 0) taken(answer);
    }
};
