// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/summary/coverage_count.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "models/plan_model.h"
#include "sampling/findings/assignment_effects.h"
#include "sampling/plan/class_labels.h"
#include "sampling/plan/work_limits.h"

namespace ringside {

void UniqueCount::requestLatest(const ShardPlan& plan) {
    m_work.cancel();
    if (countTrainedSamplesByFormula(plan) || plan.spec().datasetSize <= kInstantSamples) {
        m_result = countTrainedSamples(plan);
        return;
    }
    m_result.reset();
    m_work.requestLatest(
        this, [plan](const LatestWork::Stop& stop) { return countTrainedSamples(plan, &stop); },
        [this](qint64 unique) {
            m_result = unique;
            Q_EMIT resultChanged();
        });
}

CoverageCount::CoverageCount(QObject* parent) : QObject(parent) {
    m_pool.setMaxThreadCount(1);
}

CoverageCount::~CoverageCount() {
    if (m_stop) {
        *m_stop = true;
    }
    m_pool.waitForDone();
}

void CoverageCount::requestLatest(const RunConfig& config, qint64 datasetSize,
                                  std::shared_ptr<const ClassLabels> classes) {
    if (m_size == datasetSize && m_config.parallel.worldSize == config.parallel.worldSize &&
        m_config.sampler == config.sampler && m_config.pitfalls == config.pitfalls && m_classes == classes &&
        m_config.loader == config.loader && m_config.training.epochs == config.training.epochs) {
        return;
    }
    m_config = config;
    m_size = datasetSize;
    m_classes = classes;
    m_known = false;
    if (m_stop) {
        *m_stop = true;
    }
    m_stop = std::make_shared<std::atomic<bool>>(false);
    m_pool.start([this, stop = m_stop, config, datasetSize, classes] {
        const Coverage made = coverage(config, datasetSize, stop.get(), classes);
        QMetaObject::invokeMethod(
            this,
            [this, stop, made] {
                if (!*stop) {
                    m_result = made;
                    m_known = true;
                    Q_EMIT resultChanged();
                }
            },
            Qt::QueuedConnection);
    });
}

}  // namespace ringside
