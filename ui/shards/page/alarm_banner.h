// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QLabel>
#include <QPushButton>

namespace ringside {

// What stands in red over the page when a rank trained something other than the plan.
class AlarmBanner : public QFrame {
    Q_OBJECT
  public:
    explicit AlarmBanner(QWidget* parent = nullptr);

    // An empty sentence hides the banner. onlyHash: which sample it was is not known, and how to get to know it.
    void say(const QString& sentence, bool onlyHash);
    void setReporting(bool reporting);  // the next run will report its samples

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
