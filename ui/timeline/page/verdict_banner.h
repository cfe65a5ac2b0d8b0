// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QBoxLayout>
#include <QFrame>
#include <QLabel>
#include <QPushButton>

#include "timeline/model/timeline_model.h"

namespace ringside {

// Where the time goes, as one sentence first; then why, and what to do about it.
struct TimelineVerdict {
    enum class Tone { Plain, Good, Warning, Danger };
    QString title;
    QString detail;
    Tone tone = Tone::Plain;
    int rank = -1;  // that is named
};

// Of a run that failed or stands still: who is waited for. Else that of the steps.
TimelineVerdict timelineVerdict(const TimelineModel& model);

class VerdictBanner final : public QFrame {
    Q_OBJECT
  public:
    explicit VerdictBanner(QWidget* parent = nullptr);

    void say(const TimelineVerdict& verdict);
    // Why nothing can be recorded; empty: it can, or is being recorded now.
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
};

}  // namespace ringside
