// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QElapsedTimer>
#include <QFrame>
#include <QLabel>
#include <QPushButton>
#include <QTimer>
#include <memory>
#include <optional>

#include "controls/latest_work.h"
#include "timeline/model/timeline_model.h"
#include "timeline/whatif/check_run.h"
#include "timeline/whatif/whatif_controls.h"

namespace ringside {

// Panel that predicts the time of the last steps after a change, and shows the predicted steps in the lanes. It can
// also train the changed experiment to check the prediction.
class WhatIfPanel final : public QFrame {
    Q_OBJECT
  public:
    WhatIfPanel(TimelineModel& model, const QString& controlProgram, QWidget* parent = nullptr);

    // suspect: rank that delays the other ranks according to the verdict banner; -1: none.
    void setSuspect(int suspect);
    void tryWithoutDelay() { m_controls->checkDelay(); }
    bool isWorking() const { return m_work.isBusy() || m_later.isActive(); }
    const std::optional<ReplayResult>& result() const { return m_result; }

  Q_SIGNALS:
    // Emitted when a check has ended; `label` shows its outcome.
    void outcomeShown(QWidget* label);

  private:
    struct Answer {
        ReplayResult result;
        double medianMs = 0;  // median time of the measured steps in milliseconds; 0 if it is unknown
        std::shared_ptr<const TraceData> replay;
    };
    void recomputeLater();
    void recompute();
    void showAnswer(const Answer& answer);
    QString measuredText() const;
    void showResult();
    void refreshCheck();
    void showOutcome();
    void startCheck();
    void showCheckResult(const CheckRunResult& result);
    QString whyNoCheck() const;
    double checkSeconds() const;

    TimelineModel& m_model;
    WhatIfControls* m_controls;
    QLabel* m_predicted;
    QLabel* m_range;
    QPushButton* m_checkButton;
    QLabel* m_checkNote;
    QLabel* m_checkResultLabel;
    QLabel* m_unchanged;
    QTimer m_later;
    LatestWork m_work;
    std::optional<ReplayResult> m_result;
    double m_medianMs = 0;
    StepChange m_selectedChange;
    std::uint64_t m_revision = 0;
    CheckRun m_check;
    StepChange m_checkedChange;
    ReplayResult m_checkedPrediction;  // prediction that is compared with the check
    std::optional<CheckRunResult> m_checkResult;
};

}  // namespace ringside
