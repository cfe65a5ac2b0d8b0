// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "dialogs/dialogs.h"

class QFileDialog;
class QWidget;

namespace ringside {

// Implementation of Dialogs with Qt's file dialogs and message boxes, which are opened without a nested event loop.
class QtDialogs final : public Dialogs {
  public:
    void setParent(QWidget* parent) { m_parent = parent; }

    void openFile(const QString& title, const QString& folder, const QString& filter, PathTaken taken) override;
    void saveFile(const QString& title, const QString& suggestion, const QString& filter, PathTaken taken) override;
    void openFolder(const QString& title, const QString& folder, PathTaken taken) override;
    void showQuestion(const Question& question, AnswerTaken taken) override;

  private:
    void show(QFileDialog* dialog, const PathTaken& taken);

    QWidget* m_parent = nullptr;
};

}  // namespace ringside
