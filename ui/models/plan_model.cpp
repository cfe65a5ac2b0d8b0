// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/plan_model.h"
#include "sampling/plan/work_limits.h"

#include <QElapsedTimer>
#include <algorithm>

#include "models/experiment_model.h"
#include "sampling/plan/epoch_spec.h"

namespace ringside {
namespace {

struct MadePlan {
    Result<ShardPlan> plan;
    double ms = 0;
};

// Computes a plan and its inverse order (the positions of each sample). Without the inverse order the first hover over
// a sample would be slow.
MadePlan makePlan(const ShardSpec& spec, const std::atomic<bool>* stop = nullptr) {
    QElapsedTimer clock;
    clock.start();
    Result<ShardPlan> plan = ShardPlan::make(spec, stop);
    if (plan) plan.value().prepareToFind(stop);
    return {std::move(plan), static_cast<double>(clock.nsecsElapsed()) / 1e6};
}

}  // namespace

PlanModel::PlanModel(ExperimentModel& experiment, QObject* parent) : QObject(parent), m_experiment(experiment) {
    m_pool.setMaxThreadCount(1);
    connect(&experiment, &ExperimentModel::configChanged, this, &PlanModel::refresh);
    connect(&experiment, &ExperimentModel::dataChanged, this, &PlanModel::refresh);
    refresh();
}

PlanModel::~PlanModel() {
    if (m_stop) *m_stop = true;
    m_pool.clear();
    m_pool.waitForDone();
}

int PlanModel::epochCount() const {
    return static_cast<int>(std::clamp<qint64>(m_experiment.config().training.epochs, 1, 1'000'000));
}

void PlanModel::setEpoch(int epoch) {
    epoch = std::clamp(epoch, 0, epochCount() - 1);
    if (epoch == m_epoch) {
        return;
    }
    m_epoch = epoch;
    Q_EMIT epochChanged(m_epoch);
    refresh();
}

void PlanModel::setWatchedPlan(const std::optional<SeenPlan>& seen) {
    if (seen == m_seen) return;
    m_seen = seen;
    refresh();
}

bool PlanModel::isWatchedPlan() const {
    return m_seen && m_experiment.config().dataset.kind == DatasetKind::kExternal;
}

RunConfig PlanModel::config() const {
    RunConfig config = m_experiment.config();
    if (!isWatchedPlan()) return config;
    config.sampler = m_seen->sampler;
    config.loader.batchSize = m_seen->loader.batchSize;
    config.loader.dropLast = m_seen->loader.dropLast;
    config.parallel.worldSize = m_seen->ranks;
    return config;
}

ShardSpec PlanModel::specAt(int epoch) const {
    if (isWatchedPlan()) return m_seen->specAt(epoch);
    const DataSplit* data = m_experiment.data();
    return epochSpec(m_experiment.config(), data ? data->training : nullptr, epoch);
}

void PlanModel::select(std::optional<qint64> sample, std::optional<SampleSlot> place) {
    m_selected = sample;
    m_place = place;
    if (sample && !place) {
        followSelection();
    }
    Q_EMIT selectionChanged();
}

void PlanModel::refresh() {
    if (m_stop) *m_stop = true;
    m_working = false;
    if (m_epoch >= epochCount()) {
        m_epoch = epochCount() - 1;
        Q_EMIT epochChanged(m_epoch);
    }
    if (!isWatchedPlan() && m_experiment.data() == nullptr) {
        const Problems& problems = m_experiment.problems();
        const auto aboutData =
            std::ranges::find_if(problems, [](const Problem& problem) { return problem.field.starts_with("dataset"); });
        const bool known = !m_experiment.isLoadingData() && !problems.empty();
        fail(!known                        ? QString()
             : aboutData != problems.end() ? QString::fromStdString(aboutData->text())
                                           : QString::fromStdString(problems.front().text()));
        return;
    }
    const ShardSpec spec = specAt(m_epoch);
    if (const std::optional<ShardPlan> cached = m_planCache->find(spec)) {
        ++m_work.cacheHits;
        setPlan(*cached);
    } else if (spec.datasetSize <= kInstantSamples) {
        const MadePlan made = makePlan(spec);
        recordDuration(made.ms);
        setPlan(made.plan);
    } else {
        computeOnWorker(spec);
    }
}

void PlanModel::recordDuration(double ms) {
    m_work.lastMs = ms;
    ++m_work.made;
}

void PlanModel::computeOnWorker(const ShardSpec& spec) {
    m_working = true;
    m_stop = std::make_shared<std::atomic<bool>>(false);
    m_pool.clear();  // removes computations from the queue that have not started
    m_pool.start([this, spec, stop = m_stop] {
        const MadePlan made = makePlan(spec, stop.get());
        if (*stop) return;
        QMetaObject::invokeMethod(
            this,
            [this, made, stop] {
                recordDuration(made.ms);
                if (!*stop) setPlan(made.plan);
            },
            Qt::QueuedConnection);
    });
}

void PlanModel::setPlan(const Result<ShardPlan>& result) {
    m_working = false;
    if (!result) {
        fail(QString::fromStdString(result.problem().text()));
        return;
    }
    m_planCache->add(result.value());
    m_plan = result.value();
    m_problem.clear();
    followSelection();
    Q_EMIT planChanged();
    Q_EMIT selectionChanged();
}

void PlanModel::fail(const QString& problem) {
    m_plan.reset();
    m_place.reset();
    m_problem = problem;
    Q_EMIT planChanged();
}

// Selects the same sample in the new plan after a change of the plan. The sample can have several positions in the new
// plan. If the previous position was padding, prefers a position that is padding; if not, prefers one that is not
// padding.
void PlanModel::followSelection() {
    if (!m_selected || !m_plan) {
        return;
    }
    if (*m_selected < 0 || *m_selected >= m_plan->spec().datasetSize) {
        m_selected.reset();
        m_place.reset();
        return;
    }
    const std::vector<SampleSlot> uses = m_plan->usesOf(*m_selected);
    if (uses.empty()) {
        m_place.reset();
        return;
    }
    const auto same =
        std::ranges::find_if(uses, [&](const SampleSlot& place) { return m_place && place.padded == m_place->padded; });
    m_place = same != uses.end() ? *same : uses.front();
}

}  // namespace ringside
