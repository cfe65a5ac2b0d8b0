// SPDX-License-Identifier: Apache-2.0
#include "parallel/data_parallel.h"

#include <limits>

namespace ringside {

DataParallel::DataParallel(const StrategyParts& parts, BucketLimits limits, std::unique_ptr<Optimizer> optimizer)
    : m_parts(parts),
      m_reducer(parts.model.parameters(), parts.communicator, parts.backend, limits),
      m_optimizer(std::move(optimizer)),
      m_gradientReady([this](std::size_t parameter) { m_reducer.ready(parameter); }) {}

void DataParallel::synchronise() {
    if (m_parts.communicator.size() == 1) return;
    for (const Parameter* parameter : m_parts.model.parameters()) {
        const Tensor& value = parameter->value;
        m_parts.communicator.broadcast({value.data, static_cast<std::size_t>(value.count()), CommType::kFloat32}, 0);
    }
}

StepResult DataParallel::step(const Batch& batch, int control) {
    auto& phase = m_parts.phase;
    phase.store("forward", std::memory_order_relaxed);
    const Tensor output = m_parts.model.forward(batch.features);
    StepResult result;
    result.losses = m_parts.loss.evaluate(output, batch, true);

    phase.store("backward", std::memory_order_relaxed);
    m_reducer.begin(control);
    m_parts.model.backward(m_parts.loss.gradient(), m_gradientReady);
    phase.store("all-reduce", std::memory_order_relaxed);
    result.control = m_reducer.finish();

    phase.store("optimizer", std::memory_order_relaxed);
    const bool measures = m_parts.communicator.rank() == 0;
    result.gradientNorm = measures ? m_reducer.gradientNorm() : std::numeric_limits<double>::quiet_NaN();
    m_optimizer->step();
    return result;
}

SampleLosses DataParallel::evaluate(const Batch& batch) {
    return m_parts.loss.evaluate(m_parts.model.forward(batch.features), batch, false);
}

Result<std::unique_ptr<Strategy>> makeStrategy(const RunConfig& config, const StrategyParts& parts) {
    if (config.parallel.strategy != "ddp")
        return Problem{"parallel.strategy", "is \"" + config.parallel.strategy + "\"; this version knows ddp",
                       "set it to ddp"};
    auto optimizer = makeOptimizer(config.optimizer, parts.model.parameters(), parts.backend);
    if (!optimizer) return optimizer.problem();
    constexpr double kMebibyte = 1 << 20;
    const BucketLimits limits{static_cast<std::size_t>(config.parallel.firstBucketMb * kMebibyte),
                              static_cast<std::size_t>(config.parallel.bucketCapMb * kMebibyte)};
    std::unique_ptr<Strategy> strategy = std::make_unique<DataParallel>(parts, limits, std::move(optimizer).value());
    return strategy;
}

}  // namespace ringside
