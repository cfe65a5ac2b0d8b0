// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/plan_model.h"

#include <algorithm>

#include "models/experiment_model.h"
#include "sampling/plan_sentences.h"

namespace ringside {

ShardSpec shardSpec(const RunConfig& config, qint64 datasetSize, qint64 epoch) {
    return epochSpec(config, datasetSize, epoch);
}

PlanModel::PlanModel(ExperimentModel& experiment, QObject* parent) : QObject(parent), m_experiment(experiment) {
    m_pool.setMaxThreadCount(1);
    connect(&experiment, &ExperimentModel::configChanged, this, &PlanModel::refresh);
    connect(&experiment, &ExperimentModel::dataChanged, this, &PlanModel::refresh);
    refresh();
}

PlanModel::~PlanModel() {
    ++m_request;
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

ShardSpec PlanModel::specAt(int epoch) const {
    const DataSplit* data = m_experiment.data();
    return epochSpec(m_experiment.config(), data ? data->training : nullptr, epoch);
}

void PlanModel::select(std::optional<qint64> sample, std::optional<SamplePlace> place) {
    m_selected = sample;
    m_place = place;
    if (sample && !place) {
        followSelection();
    }
    Q_EMIT selectionChanged();
}

void PlanModel::refresh() {
    const quint64 request = ++m_request;
    Q_UNUSED(request);
    m_working = false;
    if (m_epoch >= epochCount()) {
        m_epoch = epochCount() - 1;
        Q_EMIT epochChanged(m_epoch);
    }
    if (m_experiment.data() == nullptr) {
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
    const auto cached = std::ranges::find_if(m_cache, [&](const ShardPlan& plan) { return plan.spec() == spec; });
    if (cached != m_cache.end()) {
        take(ShardPlan(*cached));
    } else if (spec.datasetSize <= kInstantSamples) {
        take(ShardPlan::make(spec));
    } else {
        makeLater(spec);
    }
}

void PlanModel::makeLater(const ShardSpec& spec) {
    m_working = true;
    const quint64 request = m_request;
    m_pool.clear();  // what has not begun is not wanted any more
    m_pool.start([this, spec, request] {
        if (m_request != request) {
            return;
        }
        Result<ShardPlan> result = ShardPlan::make(spec);
        if (result) {
            result.value().places(0);  // builds the inverse order here, not at the first hover
        }
        QMetaObject::invokeMethod(
            this,
            [this, result, request] {
                if (result) {
                    remember(result.value());
                }
                if (m_request == request) {
                    take(result);
                }
            },
            Qt::QueuedConnection);
    });
}

void PlanModel::take(const Result<ShardPlan>& result) {
    m_working = false;
    if (!result) {
        fail(QString::fromStdString(result.problem().text()));
        return;
    }
    remember(result.value());
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

void PlanModel::remember(const ShardPlan& plan) {
    m_cache.removeIf([&](const ShardPlan& other) { return other.spec() == plan.spec(); });
    m_cache.prepend(plan);
    qint64 samples = 0;
    qsizetype kept = 0;
    while (kept < m_cache.size() && (kept == 0 || samples + m_cache[kept].spec().datasetSize <= kCachedSamples)) {
        samples += m_cache[kept++].spec().datasetSize;
    }
    m_cache.resize(std::min<qsizetype>(kept, 64), plan);
}

// The selected sample keeps its selection in another plan: at its own place there, the same rank when it has several.
void PlanModel::followSelection() {
    if (!m_selected || !m_plan) {
        return;
    }
    if (*m_selected < 0 || *m_selected >= m_plan->spec().datasetSize) {
        m_selected.reset();
        m_place.reset();
        return;
    }
    const std::vector<SamplePlace> places = m_plan->places(*m_selected);
    if (places.empty()) {
        m_place.reset();
        return;
    }
    const auto same = std::ranges::find_if(
        places, [&](const SamplePlace& place) { return m_place && place.padded == m_place->padded; });
    m_place = same != places.end() ? *same : places.front();
}

}  // namespace ringside
