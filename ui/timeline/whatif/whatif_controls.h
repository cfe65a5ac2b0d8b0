// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCheckBox>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QSlider>
#include <QSpinBox>
#include <QWidget>

#include "whatif/step_replay.h"

namespace ringside {

// Controls for the changes whose effect the what-if panel predicts. Each line is one change; all selected changes are
// combined.
class WhatIfControls final : public QWidget {
    Q_OBJECT
  public:
    explicit WhatIfControls(QWidget* parent = nullptr);

    StepChange change() const;
    // Sets the number of ranks. suspect: rank that is selected in "no delay on rank"; -1: none.
    void setRanks(int ranks, int suspect);
    void reset();
    void checkDelay() { m_delay->setChecked(true); }

  Q_SIGNALS:
    void changed();

  private:
    QSlider* addSlider(const QString& text, const char* name, const QString& tip, QLabel*& value);
    QCheckBox* addBox(const QString& text, const char* name, const QString& tip, QWidget* value = nullptr);
    void showTimes();

    int m_ranks = 0;
    QCheckBox* m_delay;
    QSpinBox* m_rank;
    QLabel* m_speedValue = nullptr;
    QSlider* m_speed = nullptr;
    QLabel* m_latencyValue = nullptr;
    QSlider* m_latency = nullptr;
    QCheckBox* m_overlap;
    QCheckBox* m_buckets;
    QDoubleSpinBox* m_bucketMiB;
    QCheckBox* m_world;
    QSpinBox* m_worldSize;
};

}  // namespace ringside
