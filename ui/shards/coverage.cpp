// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/coverage.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "models/plan_model.h"
#include "sampling/class_labels.h"
#include "sampling/plan_damage.h"

namespace ringside {
namespace {

constexpr qint64 kInstantSamples = 20'000;  // counted at once up to here

// Where positions fill up in order: the trained ones are the first of the padded or cut order.
std::optional<qint64> trainedPrefix(const ShardPlan& plan) {
    const ShardSpec& spec = plan.spec();
    if (spec.pitfalls.any() || spec.kind != SamplerKind::kDistributed) {
        return {};
    }
    const qint64 used = (plan.samplesPerRank() - plan.droppedByLoader()) * spec.worldSize;
    return std::min<qint64>(used, spec.datasetSize);
}

qint64 markAll(const ShardPlan& plan, std::vector<bool>& seen, const std::atomic<bool>* stop) {
    const std::optional<qint64> prefix = trainedPrefix(plan);
    if (!prefix) {
        return markTrained(plan, seen, stop);
    }
    qint64 added = 0;
    for (const std::uint32_t sample : plan.order().first(static_cast<std::size_t>(*prefix))) {
        added += seen[sample] ? 0 : 1;
        seen[sample] = true;
    }
    return added;
}

}  // namespace

qint64 uniqueSeen(const ShardPlan& plan, const std::atomic<bool>* stop) {
    if (const std::optional<qint64> prefix = trainedPrefix(plan)) {
        return *prefix;
    }
    std::vector<bool> seen(static_cast<std::size_t>(plan.spec().datasetSize));
    return markTrained(plan, seen, stop);
}

void UniqueCount::want(const ShardPlan& plan) {
    m_work.cancel();
    if (trainedPrefix(plan) || plan.spec().datasetSize <= kInstantSamples) {
        m_result = uniqueSeen(plan);
        return;
    }
    m_result.reset();
    m_work.want(
        this, [plan](const LatestWork::Stop& stop) { return uniqueSeen(plan, &stop); },
        [this](qint64 unique) {
            m_result = unique;
            Q_EMIT resultChanged();
        });
}

Coverage coverage(const RunConfig& config, qint64 datasetSize, const std::atomic<bool>* stop,
                  const std::shared_ptr<const ClassLabels>& classes) {
    Coverage result{datasetSize, config.training.epochs, 0};
    ShardSpec first = shardSpec(config, datasetSize, 0);
    const bool shuffles = config.sampler.shuffle || first.kind == SamplerKind::kRandom || needsClasses(first.kind);
    const bool changes = shuffles && first.kind != SamplerKind::kSequential;
    const bool same = !changes || (!config.sampler.setEpoch && usesSetEpoch(first.kind));  // in every epoch
    const qint64 bound = std::max<qint64>(1, kLargestWork / std::max<qint64>(1, datasetSize));
    const qint64 epochs = same ? 1 : std::min<qint64>(config.training.epochs, bound);
    std::vector<bool> seen(static_cast<std::size_t>(datasetSize));
    qint64 left = datasetSize;
    for (qint64 epoch = 0; epoch < epochs && left > 0 && !(stop && *stop); ++epoch) {
        ShardSpec spec = shardSpec(config, datasetSize, epoch);
        spec.data = classes;
        const auto plan = ShardPlan::make(spec, stop);
        if (!plan) {
            break;
        }
        if (trainedPrefix(plan.value()) == datasetSize) {
            left = 0;
            break;
        }
        left -= markAll(plan.value(), seen, stop);
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

void CoverageCount::want(const RunConfig& config, qint64 datasetSize, std::shared_ptr<const ClassLabels> classes) {
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
