// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/scene/scene_source.h"

#include "config/mesh.h"
#include "models/experiment_model.h"
#include "models/plan_model.h"
#include "sampling/plan/work_limits.h"
#include "shards/scene/order_hash.h"

namespace ringside {
namespace {

constexpr int kPauseMs = 150;

}  // namespace

SceneSource::SceneSource(const ExperimentModel& experiment, const PlanModel& plan, QObject* parent)
    : QObject(parent), m_experiment(experiment), m_plan(plan) {
    m_pause.setSingleShot(true);
    m_pause.setInterval(kPauseMs);
    connect(&m_pause, &QTimer::timeout, this, &SceneSource::startOrderHash);
    connect(&plan, &PlanModel::planChanged, this, &SceneSource::refresh);
    refresh();
}

void SceneSource::refresh() {
    const ShardPlan* plan = m_plan.plan();
    const DataSplit* split = m_experiment.data();
    const bool isWatchedPlan = m_plan.isWatchedPlan();  // plan of a PyTorch script, whose data set is not loaded here
    if (plan == nullptr || (split == nullptr && !isWatchedPlan)) {
        m_scene.reset();
        m_hashOf = {};
        setOrderHash({});
        Q_EMIT sceneChanged();
        return;
    }
    const std::shared_ptr<const Dataset> data = isWatchedPlan ? nullptr : split->training;
    if (m_labelsOf != data) {
        m_labelsOf = data;
        m_labels.reset();
        if (data) readLabels();
    }
    const RunConfig config = m_plan.config();
    const bool setEpoch = config.sampler.setEpoch || !usesSetEpoch(plan->spec().kind);
    m_scene.emplace(ShardScene{*plan, m_plan.epoch(), setEpoch, data, m_labels, config.training.epochs,
                               m_plan.planCache(), static_cast<int>(devicesOf(config))});
    makeOrderHash();
    Q_EMIT sceneChanged();
}

void SceneSource::readLabels() {
    m_labelsWork.cancel();
    if (m_labelsOf->size() <= kInstantSamples) {
        m_labels = ringside::readLabels(*m_labelsOf);
        return;
    }
    m_labelsWork.requestLatest(
        this, [dataset = m_labelsOf](const LatestWork::Stop& stop) { return ringside::readLabels(*dataset, &stop); },
        [this](const Labels& labels) {
            m_labels = labels;
            if (!m_plan.isWorking())
                refresh();  // while a plan is being computed, the scene is refreshed when the plan
                            // is available
        });
}

void SceneSource::makeOrderHash() {
    if (m_hashOf == m_scene->plan.spec()) {
        return;
    }
    m_hashOf = m_scene->plan.spec();
    if (m_hashOf.datasetSize <= kInstantSamples) {
        setOrderHash(ringside::orderHash(m_scene->plan));
        return;
    }
    setOrderHash(tr("being computed"));
    m_hashWork.cancel();
    m_pause.start();
}

void SceneSource::startOrderHash() {
    if (!m_scene) return;
    m_hashWork.requestLatest(
        this, [plan = m_scene->plan](const LatestWork::Stop& stop) { return ringside::orderHash(plan, &stop); },
        [this](const QString& hash) { setOrderHash(hash); });
}

void SceneSource::setOrderHash(const QString& hash) {
    if (hash == m_orderHash) return;
    m_orderHash = hash;
    Q_EMIT orderHashChanged();
}

}  // namespace ringside
