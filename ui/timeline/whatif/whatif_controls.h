// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCheckBox>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QSlider>
#include <QSpinBox>
#include <QWidget>

#include "telemetry/data/step_replay.h"

namespace ringside {

// What is to be changed: each line is a change of its own, and they add up.
class WhatIfControls final : public QWidget {
    Q_OBJECT
  public:
    explicit WhatIfControls(QWidget* parent = nullptr);

    StepChange change() const;
    void setRanks(int ranks, int suspect);  // suspect: the rank to speed up; -1: none stands out
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
