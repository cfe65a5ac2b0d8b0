// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <optional>

#include "sampling/shard_plan.h"

namespace ringside {

class ExperimentModel;

// The shard plan of the edited experiment at the epoch cursor, and the sample selected in it. Small plans are made at
// once, large ones on a worker thread; the page keeps the old plan until the new one is there.
class PlanModel : public QObject {
    Q_OBJECT
  public:
    PlanModel(ExperimentModel& experiment, QObject* parent = nullptr);

    int epoch() const { return m_epoch; }
    int epochCount() const;
    void setEpoch(int epoch);  // clamped to the experiment's epochs

    const ShardPlan* plan() const { return m_plan ? &*m_plan : nullptr; }
    QString problem() const { return m_problem; }  // why there is no plan, empty otherwise

    std::optional<qint64> selectedSample() const { return m_selected; }
    std::optional<SamplePlace> selectedPlace() const { return m_place; }
    void select(std::optional<qint64> sample, std::optional<SamplePlace> place = {});

  Q_SIGNALS:
    void epochChanged(int epoch);
    void planChanged();
    void selectionChanged();

  private:
    void refresh();

    ExperimentModel& m_experiment;
    int m_epoch = 0;
    std::optional<ShardPlan> m_plan;
    QString m_problem;
    std::optional<qint64> m_selected;
    std::optional<SamplePlace> m_place;
    quint64 m_request = 0;
};

}  // namespace ringside
