// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QLabel>
#include <QPushButton>
#include <functional>

namespace ringside {

// Message bar above the pages. A message has at most one button besides "Dismiss". Not modal; a new message replaces
// the previous message.
class NoticeBar final : public QFrame {
    Q_OBJECT
  public:
    enum class Tone { Plain, Danger };

    explicit NoticeBar(QWidget* parent = nullptr);

    void showMessage(const QString& text, Tone tone = Tone::Plain);
    void offer(const QString& text, const QString& action, std::function<void()> taken, Tone tone = Tone::Plain);
    void dismissFailure();  // removes the message if it is an error message; called when a later action has succeeded
    QString text() const { return m_text->text(); }

  private:
    QLabel* m_text;
    QPushButton* m_action;
    QPushButton* m_close;
    std::function<void()> m_taken;
};

}  // namespace ringside
