// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QLabel>
#include <QPushButton>
#include <vector>

#include "identity/identity.h"
#include "identity/text_source.h"

namespace ringside {

// Red banner above the page, shown if a rank trained on a sample that was not planned.
class AlarmBanner : public QFrame, public IdentitySource, public TextSource {
    Q_OBJECT
  public:
    explicit AlarmBanner(QWidget* parent = nullptr);

    // Shows the banner with a sentence about a wrong sample; an empty sentence hides the banner. isSampleUnknown: true
    // if the ranks have reported only hashes, so that the sample is unknown; the banner then offers to report samples
    // in the next run. subjects: sample, rank, step and epoch that the sentence is about, as far as they are known.
    void setAlarm(const QString& sentence, bool isSampleUnknown, const std::vector<Identity>& subjects);
    void setReporting(bool reporting);  // true: the next run will report each sample
    // False, because a scroll area gives a page its preferred height, without a scroll bar, if the page's height
    // depends on its width. The texts keep their height as their minimum instead.
    bool hasHeightForWidth() const override { return false; }
    std::vector<Identity> identitiesAt(const QPoint& point) const override;
    QString copyText() const override;

  Q_SIGNALS:
    void showWanted();
    void reportWanted();

  private:
    std::vector<Identity> m_subjects;
    QLabel* m_title = nullptr;
    QLabel* m_text = nullptr;
    QLabel* m_hint = nullptr;
    QPushButton* m_report = nullptr;
    bool m_isSampleUnknown = false;
    bool m_reporting = false;
    void refresh();
};

}  // namespace ringside
