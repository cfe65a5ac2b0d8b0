// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QTimer>

namespace ringside {

class PlanModel;

// Keeps the epoch that a live run trains selected, updated at most once a second, until the user selects another epoch.
class EpochFollower : public QObject {
    Q_OBJECT
  public:
    explicit EpochFollower(PlanModel& plan, QObject* parent = nullptr);

    bool isOn() const { return m_on; }
    void setOn(bool on);
    void setLiveEpoch(qint64 epoch);  // sets the epoch that the run trains; -1: no training
    void finish(qint64 epoch);        // handles the end of the run: if epochs of the run were followed, selects this
                                      // last one

  Q_SIGNALS:
    void onChanged(bool on);

  private:
    void showLiveEpoch();

    PlanModel& m_plan;
    bool m_on = true;
    bool m_moving = false;    // true while this object changes the epoch
    bool m_hasMoved = false;  // true if this object has changed the epoch during the live run
    qint64 m_live = -1;
    QTimer m_pause;
};

}  // namespace ringside
