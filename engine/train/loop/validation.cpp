// SPDX-License-Identifier: Apache-2.0
#include "train/loop/validation.h"

#include <algorithm>

namespace ringside {
namespace {

// Returns the number of validation batches after which the ranks check for control commands, the same on every rank.
// Each check needs a collective. There is a check after each batch if batches are large, because they may take seconds,
// and after up to 32 batches if they are small.
std::int64_t batchesBetweenStopChecks(const TrainerDependencies& dependencies) {
    constexpr std::int64_t kMaxBatches = 32;
    constexpr std::int64_t kValues = 1'000'000;
    const std::int64_t perBatch = dependencies.config.loader.batchSize * dependencies.data.training->shape().features;
    return std::clamp<std::int64_t>(kValues / std::max<std::int64_t>(perBatch, 1), 1, kMaxBatches);
}

}  // namespace

Validation::Validation(const TrainerDependencies& dependencies, const DataShare& share,
                       const BatchLoaderDependencies& loader)
    : m_dependencies(dependencies),
      m_dataRank(share.layout().dataRank()),
      m_plan(share.validationPlan()),
      m_loader(loader) {}

std::optional<MetricSums> Validation::evaluate(Strategy& strategy, RunControl& control, StepPosition done) {
    MetricSums sums;
    strategy.beginEvaluation();
    m_loader.begin(*m_plan, m_dataRank, done.epoch);
    const bool finished = addBatches(strategy, control, done, sums);
    m_loader.end();
    return finished ? std::optional(sums) : std::nullopt;
}

bool Validation::addBatches(Strategy& strategy, RunControl& control, StepPosition done, MetricSums& sums) {
    const std::int64_t between = batchesBetweenStopChecks(m_dependencies);
    Progress& progress = m_dependencies.observer.progress();
    for (std::int64_t batch = 0; batch < m_plan->stepsPerEpoch(); ++batch) {
        if (batch % between == between - 1 && !control.executeBetweenBatches({done.step, done.epoch})) return false;
        const Batch samples = next();
        progress.batches.fetch_add(1, std::memory_order_relaxed);
        const PhaseScope scope(progress.phase, Phase::kValidation);
        sums.add(strategy.evaluate(samples), countUniqueSlots(*m_plan, m_dataRank, m_plan->batch(batch)));
    }
    return true;
}

Batch Validation::next() {
    const PhaseScope scope(m_dependencies.observer.progress().phase, Phase::kDataWait);
    return m_loader.next();
}

}  // namespace ringside
