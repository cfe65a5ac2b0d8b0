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

// Shard plan (the samples of each rank, in order) of one epoch, and the sample that is selected in the plan. The plan
// is that of the edited experiment or of the watched PyTorch script. Small plans are computed at once, large plans on a
// worker thread; plan() returns the old plan until the new plan is complete.
class PlanModel : public QObject {
    Q_OBJECT
  public:
    PlanModel(ExperimentModel& experiment, QObject* parent = nullptr);
    ~PlanModel() override;

    int epoch() const { return m_epoch; }
    int epochCount() const;
    void setEpoch(int epoch);  // sets the index of the epoch, limited to the epochs of the experiment

    // Sets the plan of a watched PyTorch script's sampler; empty: the order of the script's samples is not known. This
    // plan is used while the experiment is that of a watched PyTorch script. It does not require the data set.
    void setWatchedPlan(const std::optional<SeenPlan>& seen);
    // True if the plan is that of a watched PyTorch script.
    bool isWatchedPlan() const;
    // Returns the experiment with the sampler, data loader and number of ranks from which the plan is computed.
    RunConfig config() const;

    const ShardPlan* plan() const { return m_plan ? &*m_plan : nullptr; }
    QString problem() const { return m_problem; }  // returns the reason why there is no plan; empty if there is one
    const std::shared_ptr<PlanCache>& planCache() const { return m_planCache; }
    bool isWorking() const { return m_working; }  // true while a worker thread computes a newer plan

    // Cost of the computed plans, which the debug overlay shows.
    struct Work {
        double lastMs = 0;  // duration of the last computation in milliseconds, including the positions of each sample
        qint64 made = 0;
        qint64 cacheHits = 0;
    };
    const Work& work() const { return m_work; }

    // Returns the parameters of the plan of an epoch of the edited experiment. PlanCache::findOrMake() returns the plan
    // for these parameters.
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
    void computeOnWorker(const ShardSpec& spec);
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
    std::shared_ptr<std::atomic<bool>> m_stop;  // set to true to stop the running computation
    QThreadPool m_pool;  // pool that computes plans; the last member, because its threads must end before other members
                         // are destroyed
};

}  // namespace ringside
