// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/coverage.h"

#include <algorithm>
#include <vector>

#include "models/plan_model.h"

namespace ringside {
namespace {

// Slots fill positions in order, so the trained positions are the first ones of the padded or cut order.
qint64 trainedPositions(const ShardPlan& plan) {
    const qint64 used = (plan.samplesPerRank() - plan.droppedByLoader()) * plan.spec().worldSize;
    return std::min<qint64>(used, plan.spec().datasetSize);
}

}  // namespace

qint64 uniqueSeen(const ShardPlan& plan) {
    return trainedPositions(plan);
}

Coverage coverage(const RunConfig& config, qint64 datasetSize, const std::atomic<bool>* stop) {
    Coverage result{datasetSize, config.training.epochs, 0};
    const bool same = !config.sampler.shuffle || !config.sampler.setEpoch;  // every epoch has the same order
    const qint64 bound = std::max<qint64>(1, kLargestWork / std::max<qint64>(1, datasetSize));
    const qint64 epochs = same ? 1 : std::min<qint64>(config.training.epochs, bound);
    std::vector<bool> seen(static_cast<std::size_t>(datasetSize));
    qint64 left = datasetSize;
    for (qint64 epoch = 0; epoch < epochs && left > 0 && !(stop && *stop); ++epoch) {
        const auto plan = ShardPlan::make(shardSpec(config, datasetSize, epoch));
        if (!plan) {
            break;
        }
        const qint64 trained = trainedPositions(plan.value());
        if (trained == datasetSize) {
            left = 0;
            break;
        }
        for (const std::uint32_t sample : plan.value().order().first(static_cast<std::size_t>(trained))) {
            left -= seen[sample] ? 0 : 1;
            seen[sample] = true;
        }
    }
    result.neverSeen = left;
    if (!same && left > 0) {
        result.epochs = epochs;
    }
    return result;
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

void CoverageCount::want(const RunConfig& config, qint64 datasetSize) {
    if (m_size == datasetSize && m_config.parallel.worldSize == config.parallel.worldSize &&
        m_config.sampler == config.sampler && m_config.loader == config.loader &&
        m_config.training.epochs == config.training.epochs) {
        return;
    }
    m_config = config;
    m_size = datasetSize;
    m_known = false;
    if (m_stop) {
        *m_stop = true;
    }
    m_stop = std::make_shared<std::atomic<bool>>(false);
    m_pool.start([this, stop = m_stop, config, datasetSize] {
        const Coverage made = coverage(config, datasetSize, stop.get());
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
