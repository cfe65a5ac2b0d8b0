// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QTimer>

namespace ringside {

class PlanModel;

// Moves the epoch cursor along with a live run, at most once a second, until somebody else moves it.
class EpochFollower : public QObject {
    Q_OBJECT
  public:
    explicit EpochFollower(PlanModel& plan, QObject* parent = nullptr);

    bool isOn() const { return m_on; }
    void setOn(bool on);
    void setLiveEpoch(qint64 epoch);  // -1: nothing trains
    void finish(qint64 epoch);        // the run has ended there

  Q_SIGNALS:
    void onChanged(bool on);

  private:
    void go();

    PlanModel& m_plan;
    bool m_on = true;
    bool m_moving = false;    // the cursor is moved by us
    bool m_hasMoved = false;  // along with the run that trains
    qint64 m_live = -1;
    QTimer m_pause;
};

}  // namespace ringside
