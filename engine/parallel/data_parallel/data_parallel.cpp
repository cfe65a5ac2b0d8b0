// SPDX-License-Identifier: Apache-2.0
#include "parallel/data_parallel/data_parallel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/time/monotonic.h"
#include "nn/layer/value_hash.h"
#include "nn/models/model_factory.h"
#include "parallel/strategy/batch_rows.h"

namespace ringside {

namespace {

constexpr double kNoNorm = std::numeric_limits<double>::quiet_NaN();

void bindGradients(Model& model, Backend& backend) {
    const MemoryScope scope(backend.memory(), MemoryClass::kGradients);
    for (Parameter* one : model.parameters()) one->gradient = backend.allocate(one->shape, one->type);
}

std::int64_t largestOf(const std::vector<Parameter*>& parameters) {
    std::int64_t largest = 1;
    for (const Parameter* one : parameters) largest = std::max(largest, one->shape.count());
    return largest;
}

Problem canonicalOnGpus() {
    return {"training.reduction", "is canonical, which data_parallel supports only on CPUs",
            "set parallel.device to cpu, or use ddp"};
}

}  // namespace

std::vector<std::int64_t> chunkSizes(std::int64_t samples, int devices) {
    const std::int64_t size = (samples + devices - 1) / devices;
    std::vector<std::int64_t> sizes;
    for (std::int64_t left = samples; left > 0; left -= size) sizes.push_back(std::min(size, left));
    return sizes;
}

Result<std::unique_ptr<Strategy>> DataParallel::make(const RunConfig& config,
                                                     const StrategyDependencies& dependencies) {
    const bool isCpu = dependencies.backend.device().kind == ringside::Device::Kind::kCpu;
    if (!isCpu && dependencies.plan.leaves > 0) return canonicalOnGpus();
    std::unique_ptr<DataParallel> strategy(new DataParallel(config, dependencies));
    auto optimizer = makeOptimizer(config.optimizer, dependencies.model.parameters(), dependencies.backend);
    if (!optimizer) return optimizer.problem();
    strategy->m_optimizer = std::move(optimizer).value();
    strategy->logMemory();
    return std::unique_ptr<Strategy>(std::move(strategy));
}

DataParallel::DataParallel(const RunConfig& config, const StrategyDependencies& dependencies)
    : m_config(config),
      m_dependencies(dependencies),
      m_threads(static_cast<int>(dependencies.plan.devices)),
      m_share(static_cast<float>(1.0 / static_cast<double>(config.training.accumulateSteps))) {
    m_devices.resize(static_cast<std::size_t>(m_threads.deviceCount()));
    // The backend of each device must be constructed by the device's own thread, because the current CUDA device is a
    // property of a thread.
    m_threads.runOnAllDevices([this](int number) { m_devices[static_cast<std::size_t>(number)] = makeDevice(number); });
    dependencies.model.watch(dependencies.watch);
    const Shape output = batchShape(dependencies.model.output(), dependencies.plan.maxBatch);
    const MemoryScope scope(dependencies.backend.memory(), MemoryClass::kGathered);
    m_output = dependencies.backend.allocate(output, DType::kFloat32);
    if (std::ranges::any_of(m_devices, [this](const Device& one) { return hasSeparateMemory(one); }))
        m_received = dependencies.backend.allocate({largestOf(dependencies.model.parameters())}, DType::kFloat32);
    if (dependencies.plan.leaves > 0) {
        m_leaves = std::make_unique<LeafBatches>(static_cast<int>(dependencies.plan.leaves), dependencies.plan.maxBatch,
                                                 dependencies.interface, dependencies.backend);
        m_losses.resize(static_cast<std::size_t>(2 * dependencies.plan.maxBatch));
    }
    if (config.training.accumulateSteps > 1)
        for (const Parameter* one : dependencies.model.parameters())
            m_kept.push_back(dependencies.backend.allocate(one->shape, one->type));
}

DataParallel::Device DataParallel::makeDevice(int number) {
    Device device;
    device.backend = &m_dependencies.backend;
    device.model = &m_dependencies.model;
    const int devices = m_threads.deviceCount();
    if (number > 0) {
        device.ownBackend = m_dependencies.backend.makePeer(number, devices);
        device.backend = device.ownBackend.get();
        constexpr double kMebibyte = 1 << 20;
        device.backend->memory().setLimit(static_cast<std::int64_t>(m_config.parallel.memoryLimitMb * kMebibyte));
        std::vector<Unit*> noUnits;
        device.ownModel = makeModel(m_dependencies.plan.layers, *device.backend, noUnits);
        device.model = device.ownModel.get();
        device.model->prepare((m_dependencies.plan.maxBatch + devices - 1) / devices);
        if (hasSeparateMemory(device)) allocateCopies(device);
    }
    bindGradients(*device.model, *device.backend);
    if (const std::int64_t allLeaves = m_dependencies.plan.leaves; allLeaves > 0) {
        const std::int64_t rows = (m_dependencies.plan.maxBatch + allLeaves - 1) / allLeaves;
        device.loss = std::move(makeLoss(m_config.training.loss,
                                         m_dependencies.loss.countsCorrect() ? m_dependencies.interface.outputs : 0,
                                         m_dependencies.interface.outputs, rows, *device.backend,
                                         m_dependencies.interface.isSequence ? m_dependencies.interface.sample[0] : 1))
                          .value();
        const MemoryScope scope(device.backend->memory(), MemoryClass::kGradients);
        for (std::int64_t leaves = devices; leaves < allLeaves; leaves *= 2) {
            device.kept.emplace_back();
            for (const Parameter* one : device.model->parameters())
                device.kept.back().push_back(device.backend->allocate(one->shape, one->type));
        }
    }
    return device;
}

bool DataParallel::hasSeparateMemory(const Device& device) const {
    return device.backend->device() != m_dependencies.backend.device();
}

void DataParallel::allocateCopies(Device& device) {
    const MemoryScope scope(device.backend->memory(), MemoryClass::kGathered);
    const std::int64_t rows = chunkSizes(m_dependencies.plan.maxBatch, m_threads.deviceCount()).front();
    device.input = device.backend->allocate({rows, m_dependencies.interface.sample.count()}, DType::kFloat32);
    const Shape output = batchShape(m_dependencies.model.output(), rows);
    device.outputGradient = device.backend->allocate(output, DType::kFloat32);
}

Tensor DataParallel::copyToDevice(const Device& device, const Tensor& values, const Tensor& memory) {
    if (!memory) return values;
    const Tensor copy{memory.data, values.shape, values.type, memory.device};
    device.backend->copyFromPeer(values, copy);
    return copy;
}

Tensor DataParallel::copyToFirstDevice(const Tensor& values) {
    if (!m_received || values.device == m_received.device) return values;
    const Tensor copy{m_received.data, values.shape, values.type, m_received.device};
    m_dependencies.backend.copyFromPeer(values, copy);
    return copy;
}

// Copies all parameters and buffers of device 0 to another device, as torch.nn.parallel.replicate does before every
// forward pass.
void DataParallel::replicate(Device& device) {
    const std::vector<Parameter*>& from = m_dependencies.model.state();
    for (std::size_t i = 0; i < from.size(); ++i)
        device.backend->copyFromPeer(from[i]->value, device.model->state()[i]->value);
}

Pass DataParallel::passOfDevice(int device) const {
    const auto number = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
    return {.training = true,
            .key = hashOf({number(m_config.training.seed), number(device), number(m_optimizer->steps()),
                           number(m_microBatches)})};
}

void DataParallel::forward(const Batch& batch, bool training) {
    m_chunks = chunkSizes(batch.rows(), m_threads.deviceCount());
    // Waits until device 0 has finished writing the parameters and the batch, because the other devices now copy them.
    m_dependencies.backend.synchronize();
    m_threads.runOnAllDevices([&](int number) {
        const auto place = static_cast<std::size_t>(number);
        if (place >= m_chunks.size()) return;
        Device& device = m_devices[place];
        if (number > 0) replicate(device);
        device.model->begin(training ? passOfDevice(number) : Pass{.training = false});
        const Batch chunk = rowsFrom(batch, number * m_chunks.front(), m_chunks[place]);
        device.y = device.model->forward(copyToDevice(device, chunk.features, device.input));
        if (number > 0) device.backend->synchronize();
    });
}

// Copies the outputs of all devices into one tensor on device 0, in the order of the devices.
void DataParallel::gatherOutputs(const Batch& batch) {
    const std::int64_t rows = m_devices.front().y.rows() / m_chunks.front() * batch.rows();
    for (std::size_t i = 0; i < m_chunks.size(); ++i) {
        const Tensor to =
            rowsFrom(m_output.head(rows), static_cast<std::int64_t>(i) * m_chunks.front(), m_chunks[i], batch.rows());
        Tensor from = m_devices[i].y;
        from.shape = to.shape;
        m_dependencies.backend.copyFromPeer(from, to);
    }
}

void DataParallel::computeGradients(const Batch& batch) {
    {
        const PhaseScope scope(m_dependencies.phase, Phase::kForward);
        forward(batch, true);
        const std::int64_t before = monotonicNs();
        gatherOutputs(batch);
        const std::int64_t rows = m_devices.front().y.rows() / m_chunks.front() * batch.rows();
        m_dependencies.loss.compute(m_output.head(rows), batch, true);
        m_optimizer->scaleLoss(m_dependencies.loss.gradient(), m_share);
        m_dependencies.backend.synchronize();
        m_shares.gather += monotonicNs() - before;
    }
    const PhaseScope scope(m_dependencies.phase, Phase::kBackward);
    const Tensor gradient = m_dependencies.loss.gradient();
    m_threads.runOnAllDevices([&](int number) {
        const auto place = static_cast<std::size_t>(number);
        if (place >= m_chunks.size()) return;
        const Tensor own = rowsFrom(gradient, number * m_chunks.front(), m_chunks[place], batch.rows());
        const Device& device = m_devices[place];
        device.model->backward(copyToDevice(device, own, device.outputGradient), [](std::size_t) {});
        if (number > 0) device.backend->synchronize();
    });
    const std::int64_t before = monotonicNs();
    addGradients();
    m_shares.reduce += monotonicNs() - before;
}

// Adds the devices' gradients on device 0 in the order of the devices, as torch.cuda.comm.reduce_add does.
void DataParallel::addGradients() {
    const std::vector<Parameter*>& sums = m_dependencies.model.parameters();
    for (std::size_t device = 1; device < m_chunks.size(); ++device)
        for (std::size_t i = 0; i < sums.size(); ++i)
            m_dependencies.backend.add(copyToFirstDevice(m_devices[device].model->parameters()[i]->gradient),
                                       sums[i]->gradient);
}

void DataParallel::keepGradients(bool first) {
    for (std::size_t i = 0; i < m_kept.size(); ++i) {
        const Tensor& gradient = m_dependencies.model.parameters()[i]->gradient;
        first ? m_dependencies.backend.copy(gradient, m_kept[i]) : m_dependencies.backend.add(gradient, m_kept[i]);
    }
}

SampleLosses DataParallel::accumulate(const Batch& batch) {
    computeGradients(batch);
    keepGradients(m_microBatches++ == 0);
    return m_dependencies.loss.fetch(batch);
}

StepResult DataParallel::step(const Batch& batch, StepRequest request) {
    const std::int64_t begun = monotonicNs();
    m_leaves ? computeLeafGradients(batch) : computeGradients(batch);
    if (m_microBatches > 0)
        for (std::size_t i = 0; i < m_kept.size(); ++i)
            m_dependencies.backend.add(m_kept[i], m_dependencies.model.parameters()[i]->gradient);
    m_dependencies.onPhaseEnd(Phase::kBackward);
    const PhaseScope scope(m_dependencies.phase, Phase::kOptimizer);
    const std::int64_t before = monotonicNs();
    const bool measures = m_optimizer->rules().measuresNorm();
    StepResult result;
    result.signal = request.signal;
    result.gradientNorm = kNoNorm;
    const double square = measures || request.gradientNorm ? squaredGradientNorm() : 0;
    if (measures && m_leaves)
        m_optimizer->updateWith(square);
    else
        m_optimizer->update();
    m_optimizer->count();
    m_microBatches = 0;
    if (request.gradientNorm) result.gradientNorm = std::sqrt(square);
    if (request.gradientNorm && measures) result.gradientNorm = static_cast<double>(m_optimizer->progress().norm);
    result.losses = m_leaves ? leafLosses(batch) : m_dependencies.loss.fetch(batch);
    const std::int64_t ended = monotonicNs();
    m_shares.update += ended - before;
    m_shares.all += ended - begun;
    ++m_shares.steps;
    return result;
}

SampleLosses DataParallel::evaluate(const Batch& batch) {
    forward(batch, false);
    gatherOutputs(batch);
    const std::int64_t rows = m_devices.front().y.rows() / m_chunks.front() * batch.rows();
    return m_dependencies.loss.evaluate(m_output.head(rows), batch, false);
}

void DataParallel::logMemory() {
    if (!m_dependencies.log || m_devices.size() == 1) return;
    constexpr double kMebibyte = 1 << 20;
    const auto mebibytes = [](const Device& device) {
        return static_cast<double>(device.backend->memory().total()) / kMebibyte;
    };
    m_dependencies.log(fmt::format(
        "data_parallel: device 0 uses {:.2f} MiB, each of the other {} devices uses {:.2f} MiB: only device 0 has "
        "the optimizer state and the gathered outputs",
        mebibytes(m_devices.front()), m_devices.size() - 1, mebibytes(m_devices.back())));
}

void DataParallel::logTimeShares() {
    if (!m_dependencies.log || m_shares.steps == 0) return;
    const auto perStep = [this](std::int64_t ns) {
        return static_cast<double>(ns) / 1e6 / static_cast<double>(m_shares.steps);
    };
    const std::int64_t alone = m_shares.gather + m_shares.reduce + m_shares.update;
    m_dependencies.log(fmt::format(
        "data_parallel: in each step of {:.3f} ms device 0 works alone for {:.3f} ms ({:.0f} %): {:.3f} ms for "
        "gathering "
        "outputs and computing the loss, {:.3f} ms for adding up gradients, {:.3f} ms for updating parameters",
        perStep(m_shares.all), perStep(alone),
        100 * static_cast<double>(alone) / static_cast<double>(std::max<std::int64_t>(1, m_shares.all)),
        perStep(m_shares.gather), perStep(m_shares.reduce), perStep(m_shares.update)));
    m_shares = {};
}

}  // namespace ringside
