// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QThreadPool>
#include <atomic>
#include <memory>
#include <optional>

#include "config/run_config.h"
#include "models/plan_cache.h"
#include "watch/plan/seen_plan.h"

namespace ringside {

class ExperimentModel;

// Shard plan of the edited experiment, or of the watched script, at the chosen epoch, and the sample selected in it.
// Small plans are computed at once, large ones on a worker thread; plan() returns the old plan until the new one is
// complete.
class PlanModel : public QObject {
    Q_OBJECT
  public:
    PlanModel(ExperimentModel& experiment, QObject* parent = nullptr);
    ~PlanModel() override;

    int epoch() const { return m_epoch; }
    int epochCount() const;
    void setEpoch(int epoch);  // sets the epoch, clamped to the epochs of the experiment

    // Sets the plan that the sampler of a watched script follows. It is used while the experiment is that of a script,
    // and needs no data. Empty: the order of the script's samples is not known.
    void setWatchedPlan(const std::optional<SeenPlan>& seen);
    // True if the plan is that of a watched script.
    bool isWatchedPlan() const;
    // Returns the experiment with the sampler, the loader and the ranks that the plan follows.
    RunConfig config() const;

    const ShardPlan* plan() const { return m_plan ? &*m_plan : nullptr; }
    QString problem() const { return m_problem; }  // returns the reason why there is no plan; empty if there is one
    const std::shared_ptr<PlanCache>& planCache() const { return m_planCache; }
    bool isWorking() const { return m_working; }  // returns true while a newer plan is computed

    // Cost of planning, for the debug overlay.
    struct Work {
        double lastMs = 0;  // duration of the last computation in milliseconds, including the inverse order
        qint64 made = 0;
        qint64 cacheHits = 0;
    };
    const Work& work() const { return m_work; }

    // Returns the parameters of the plan for any epoch of the edited experiment, to be passed to
    // PlanCache::findOrMake().
    ShardSpec specAt(int epoch) const;

    std::optional<qint64> selectedSample() const { return m_selected; }
    std::optional<SampleSlot> selectedPlace() const { return m_place; }
    void select(std::optional<qint64> sample, std::optional<SampleSlot> place = {});

  Q_SIGNALS:
    void epochChanged(int epoch);
    void planChanged();
    void selectionChanged();

  private:
    void refresh();
    void recordDuration(double ms);
    void makeLater(const ShardSpec& spec);
    void setPlan(const Result<ShardPlan>& result);
    void fail(const QString& problem);
    void followSelection();

    ExperimentModel& m_experiment;
    int m_epoch = 0;
    std::optional<SeenPlan> m_seen;
    std::optional<ShardPlan> m_plan;
    QString m_problem;
    bool m_working = false;
    Work m_work;
    std::optional<qint64> m_selected;
    std::optional<SampleSlot> m_place;
    std::shared_ptr<PlanCache> m_planCache = std::make_shared<PlanCache>();
    std::shared_ptr<std::atomic<bool>> m_stop;  // stops the plan that is being computed
    QThreadPool m_pool;                         // pool of the computations; last member, so that its threads end before
                                                // the other members are destroyed
};

}  // namespace ringside
