// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QLabel>
#include <QPushButton>

namespace ringside {

// Red banner above the page, shown if a rank trained on a sample that was not planned.
class AlarmBanner : public QFrame {
    Q_OBJECT
  public:
    explicit AlarmBanner(QWidget* parent = nullptr);

    // Shows the sentence; an empty one hides the banner. onlyHash: the sample is not known; the banner then offers to
    // report samples in the next run.
    void say(const QString& sentence, bool onlyHash);
    void setReporting(bool reporting);  // true: the next run will report each sample

  Q_SIGNALS:
    void showWanted();
    void reportWanted();

  private:
    QLabel* m_text = nullptr;
    QLabel* m_hint = nullptr;
    QPushButton* m_report = nullptr;
    bool m_onlyHash = false;
    bool m_reporting = false;
    void refresh();
};

}  // namespace ringside
