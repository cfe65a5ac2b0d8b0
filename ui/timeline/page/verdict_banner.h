// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QBoxLayout>
#include <QFrame>
#include <QLabel>
#include <QPushButton>

#include "identity/identity.h"
#include "identity/text_source.h"
#include "timeline/model/timeline_model.h"

namespace ringside {

// Explanation of where the time of the steps is spent: a sentence, its reasons, and advice.
struct TimelineVerdict {
    enum class Tone { Plain, Good, Warning, Danger };
    QString title;
    QString detail;
    Tone tone = Tone::Plain;
    int rank = -1;  // rank that the verdict names; -1: none
};

// Returns the explanation for the traced steps. For a failed or stalled run, names the ranks for which the other ranks
// wait.
TimelineVerdict timelineVerdict(const TimelineModel& model);

class VerdictBanner final : public QFrame, public IdentitySource, public TextSource {
    Q_OBJECT
  public:
    explicit VerdictBanner(QWidget* parent = nullptr);

    void setVerdict(const TimelineVerdict& verdict);
    QString copyText() const override;
    std::vector<Identity> identitiesAt(const QPoint& point) const override;  // returns the rank that the verdict names
    // Updates the button that records steps. reasonNot: reason why steps cannot be recorded; empty if they can. now:
    // true while steps are being recorded.
    void setRecording(const QString& reasonNot, bool now = false);
    void setExports(QPushButton* exports);

  Q_SIGNALS:
    void whatIfWanted();
    void recordWanted();

  private:
    QLabel* m_title;
    QLabel* m_detail;
    QFrame* m_edge;
    QPushButton* m_whatIf;
    QPushButton* m_record;
    QHBoxLayout* m_row;
    QHBoxLayout* m_buttons;
    int m_rank = -1;
};

}  // namespace ringside
