// SPDX-License-Identifier: Apache-2.0
#include "parallel/data_parallel.h"

#include <limits>

#include "nn/gradient_clipping.h"
#include "nn/pass_key.h"

namespace ringside {

namespace {

BucketLimits bucketLimits(const ParallelConfig& config) {
    constexpr double kMebibyte = 1 << 20;
    return {static_cast<std::size_t>(config.firstBucketMb * kMebibyte),
            static_cast<std::size_t>(config.bucketCapMb * kMebibyte)};
}

}  // namespace

DataParallel::DataParallel(const RunConfig& config, const StrategyParts& parts, std::unique_ptr<Optimizer> optimizer)
    : m_parts(parts),
      m_reducer(parts.model.parameters(), parts.communicator, parts.backend, bucketLimits(config.parallel),
                config.training.accumulateSteps > 1),
      m_optimizer(std::move(optimizer)),
      m_gradientReady([this](std::size_t parameter) { m_reducer.ready(parameter); }),
      m_accumulateSteps(config.training.accumulateSteps),
      m_clipNorm(config.optimizer.clipGradNorm),
      m_seed(config.training.seed) {}

void DataParallel::synchronise() {
    if (m_parts.communicator.size() == 1) return;
    for (const Parameter* parameter : m_parts.model.state()) broadcast(*parameter);
}

void DataParallel::broadcast(const Parameter& from0) {
    const Tensor& value = from0.value;
    const CommType type = value.type == DType::kInt64 ? CommType::kInt64 : CommType::kFloat32;
    m_parts.communicator.broadcast({value.data, static_cast<std::size_t>(value.count()), type}, 0);
}

// DDP does so before each forward pass (broadcast_buffers); in between they only gather what rank 0's will replace.
void DataParallel::beginEvaluation() {
    if (m_parts.communicator.size() == 1) return;
    for (const Parameter* buffer : m_parts.model.state())
        if (!buffer->gradient) broadcast(*buffer);
}

// (loss / accumulate_steps).backward(): the division goes into the loss' gradient.
SampleLosses DataParallel::forward(const Batch& batch) {
    m_parts.phase.store("forward", std::memory_order_relaxed);
    const auto number = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
    m_parts.model.begin({.training = true,
                         .key = keyOf({number(m_seed), number(m_parts.communicator.rank()),
                                       number(m_optimizer->steps()), number(m_microBatches)})});
    const Tensor output = m_parts.model.forward(batch.features);
    const SampleLosses losses = m_parts.loss.evaluate(output, batch, true);
    m_parts.phase.store("backward", std::memory_order_relaxed);
    if (m_accumulateSteps > 1)
        m_parts.backend.scale(m_parts.loss.gradient(),
                              static_cast<float>(1.0 / static_cast<double>(m_accumulateSteps)));
    return losses;
}

SampleLosses DataParallel::accumulate(const Batch& batch) {
    const SampleLosses losses = forward(batch);
    m_parts.model.backward(m_parts.loss.gradient(), [](std::size_t) {});
    m_reducer.keep();
    ++m_microBatches;
    return losses;
}

StepResult DataParallel::step(const Batch& batch, int control) {
    StepResult result;
    result.losses = forward(batch);
    m_reducer.begin(control);
    m_parts.model.backward(m_parts.loss.gradient(), m_gradientReady);
    m_parts.phase.store("all-reduce", std::memory_order_relaxed);
    result.control = m_reducer.finish();

    m_parts.phase.store("optimizer", std::memory_order_relaxed);
    result.gradientNorm = gradientNorm();
    m_optimizer->step();
    m_microBatches = 0;
    return result;
}

// Every rank clips by the same norm, of the same averaged gradient; only rank 0 reports one.
double DataParallel::gradientNorm() {
    const bool reports = m_parts.communicator.rank() == 0;
    if (m_clipNorm > 0) {
        const double norm = clipGradientNorm(m_parts.model.parameters(), m_clipNorm, m_parts.backend);
        if (reports) return norm;
    }
    return reports ? m_reducer.gradientNorm() : std::numeric_limits<double>::quiet_NaN();
}

SampleLosses DataParallel::evaluate(const Batch& batch) {
    m_parts.model.begin({.training = false});
    return m_parts.loss.evaluate(m_parts.model.forward(batch.features), batch, false);
}

Result<std::unique_ptr<Strategy>> makeStrategy(const RunConfig& config, const StrategyParts& parts) {
    if (config.parallel.strategy != "ddp")
        return Problem{"parallel.strategy", "is \"" + config.parallel.strategy + "\"; this version knows ddp",
                       "set it to ddp"};
    auto optimizer = makeOptimizer(config.optimizer, parts.model.parameters(), parts.backend);
    if (!optimizer) return optimizer.problem();
    std::unique_ptr<Strategy> strategy = std::make_unique<DataParallel>(config, parts, std::move(optimizer).value());
    return strategy;
}

}  // namespace ringside
