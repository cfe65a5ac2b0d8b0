// SPDX-License-Identifier: Apache-2.0
#include "parallel/data_parallel.h"

#include <cmath>
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
      m_seed(config.training.seed),
      m_scaler(config.training.precision == "fp16"),
      m_recorder(parts.communicator.size() == 1 && config.training.accumulateSteps == 1 ? parts.backend.makeRecorder()
                                                                                        : nullptr) {}

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

void DataParallel::begin() {
    const auto number = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
    m_parts.model.begin({.training = true,
                         .key = keyOf({number(m_seed), number(m_parts.communicator.rank()),
                                       number(m_optimizer->steps()), number(m_microBatches)})});
}

// (loss / accumulate_steps).backward(): the division goes into the loss' gradient, as the loss scale does.
float DataParallel::gradientFactor() const {
    return static_cast<float>(m_scaler.scale() / static_cast<double>(m_accumulateSteps));
}

void DataParallel::pass(const Batch& batch, const Model::GradientReady& ready) {
    m_parts.phase.store("forward", std::memory_order_relaxed);
    m_parts.loss.compute(m_parts.model.forward(batch.features), batch, true);
    m_parts.phase.store("backward", std::memory_order_relaxed);
    if (gradientFactor() != 1) m_parts.backend.scale(m_parts.loss.gradient(), gradientFactor());
    m_parts.model.backward(m_parts.loss.gradient(), ready);
}

SampleLosses DataParallel::accumulate(const Batch& batch) {
    begin();
    pass(batch, [](std::size_t) {});
    m_reducer.keep();
    ++m_microBatches;
    return m_parts.loss.fetch(batch);
}

// Everything is enqueued before anything is fetched: a device works on while the host catches up.
StepResult DataParallel::step(const Batch& batch, StepRequest request) {
    StepResult result;
    m_reducer.begin(request.control);
    begin();
    const auto work = [this, &batch] { pass(batch, m_gradientReady); };
    if (m_recorder)
        m_recorder->run({batch.features.data, batch.rows(), gradientFactor()}, work);
    else
        work();
    m_parts.phase.store("all-reduce", std::memory_order_relaxed);
    result.control = m_reducer.finish();

    m_parts.phase.store("optimizer", std::memory_order_relaxed);
    result.gradientNorm = update(request.gradientNorm);
    m_microBatches = 0;
    result.losses = m_parts.loss.fetch(batch);
    return result;
}

// The averaged gradient is the same on every rank, and so is what becomes of it.
bool DataParallel::unscale() {
    if (!m_scaler.on()) return true;
    const bool finite = std::isfinite(m_reducer.gradientNorm());
    if (finite) m_reducer.scale(static_cast<float>(1 / m_scaler.scale()));
    m_scaler.update(!finite);
    return finite;
}

// Every rank clips by the same norm, of the same averaged gradient; only rank 0 reports one. The update leaves
// gradients alone, so that measuring, for which a device is waited for, comes last.
double DataParallel::update(bool wantsNorm) {
    const double none = std::numeric_limits<double>::quiet_NaN();
    if (!unscale()) return none;
    const bool clips = m_clipNorm > 0;
    const double clipped = clips ? clipGradientNorm(m_parts.model.parameters(), m_clipNorm, m_parts.backend) : none;
    m_optimizer->step();
    if (m_parts.communicator.rank() != 0) return none;
    if (clips) return clipped;
    return wantsNorm ? m_reducer.gradientNorm() : none;
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
