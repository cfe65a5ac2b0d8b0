// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QLabel>
#include <QPushButton>

#include "identity/identity.h"
#include "identity/text_source.h"
#include "timeline/model/timeline_model.h"
#include "timeline/step/step_numbers.h"

namespace ringside {

class Theme;

// Panel beside the lanes with the numbers of the shown step.
class StepPanel final : public QFrame, public IdentitySource, public TextSource {
    Q_OBJECT
  public:
    StepPanel(TimelineModel& model, const Theme& theme, QWidget* parent = nullptr);

    const StepNumbers& numbers() const { return m_numbers; }
    QString copyText() const override;
    // Returns the rank of the column at the point, if there is one, then the step and its epoch.
    std::vector<Identity> identitiesAt(const QPoint& point) const override;

  Q_SIGNALS:
    // Emitted when the user wants to see the samples of the step on the Shards page.
    void samplesWanted(qint64 step, qint64 epoch, int rank);

  private:
    class Figures;
    void refresh();

    TimelineModel& m_model;
    StepNumbers m_numbers;
    QLabel* m_title;
    QLabel* m_length;
    Figures* m_figures;
    QLabel* m_exposed;
    QPushButton* m_show;
};

}  // namespace ringside
