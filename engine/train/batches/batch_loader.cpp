// SPDX-License-Identifier: Apache-2.0
#include "train/batches/batch_loader.h"

#include <utility>

#include "data/loading/channel_moments.h"

namespace ringside {

namespace {

Batch allocateBatch(const BatchLoaderDependencies& dependencies) {
    const Dataset& dataset = dependencies.dataset;
    Batch batch;
    batch.features = dependencies.backend.allocate({dependencies.maxBatch, dataset.shape().features}, DType::kFloat32);
    if (dataset.classCount() > 0)
        batch.labels = dependencies.backend.allocate({dependencies.maxBatch, dataset.shape().labels()}, DType::kInt64);
    else
        batch.targets = dependencies.backend.allocate({dependencies.maxBatch, dataset.targetCount()}, DType::kFloat32);
    return batch;
}

DataLoaderOptions loaderOptions(const BatchLoaderDependencies& dependencies) {
    DataLoaderOptions options = dataLoaderOptions(dependencies.config);
    options.changeIndices = dependencies.changeIndices;
    return options;
}

// Returns the batch as tensors that refer to the loader's memory, without a copy of the values.
Batch hostTensors(const HostBatch& host, std::int64_t features, std::int64_t targets) {
    Batch batch;
    batch.features = {host.features.data(), {host.rows(), features}, DType::kFloat32, {}};
    if (host.targets.empty())
        batch.labels = {host.labels.data(),
                        {host.rows(), static_cast<std::int64_t>(host.labels.size()) / host.rows()},
                        DType::kInt64,
                        {}};
    else
        batch.targets = {host.targets.data(), {host.rows(), targets}, DType::kFloat32, {}};
    return batch;
}

}  // namespace

BatchLoader::BatchLoader(const BatchLoaderDependencies& dependencies)
    : m_backend(dependencies.backend),
      m_shape(dependencies.dataset.shape()),
      m_targetCount(dependencies.dataset.targetCount()),
      m_transforms(dependencies.config.loader, m_shape, dependencies.config.training.seed, dependencies.training),
      m_loader(dependencies.dataset, m_transforms, loaderOptions(dependencies), dependencies.maxBatch,
               dependencies.memory),
      m_uploader(dependencies.backend.makeUploader(dependencies.memory.pinned())) {
    if (!m_uploader) return;
    for (Travelling& one : m_onDevice) {
        one.whole = allocateBatch(dependencies);
        one.indices.reserve(static_cast<std::size_t>(dependencies.maxBatch));
    }
}

void BatchLoader::begin(const ShardPlan& plan, int rank, std::int64_t epoch, std::int64_t firstBatch) {
    end();
    m_loader.begin(plan, rank, epoch, firstBatch);
    if (!m_uploader) return;
    for (Travelling& one : m_onDevice) one.error = nullptr;
    m_notSent = plan.stepsPerEpoch() - firstBatch;
    startNextCopy(m_onDevice[m_next]);
}

void BatchLoader::end() {
    if (m_uploader) m_uploader->waitForSources();
    m_loader.end();
}

Batch BatchLoader::next() {
    if (!m_uploader) {
        const HostBatch& host = m_loader.next();
        m_indices = host.indices;
        return hostTensors(host, m_shape.features, m_targetCount);
    }
    Travelling& now = m_onDevice[m_next];
    if (now.error) std::rethrow_exception(std::exchange(now.error, nullptr));
    m_uploader->join();
    m_indices = now.indices;
    m_next = 1 - m_next;
    startNextCopy(m_onDevice[m_next]);
    return now.batch;
}

// Starts the copy of the next batch to the device. Before that, waits until earlier copies are complete, because the
// loader loads the next batch into the memory from which they are copied.
void BatchLoader::startNextCopy(Travelling& to) {
    if (m_notSent == 0) return;
    --m_notSent;
    m_uploader->waitForSources();
    try {
        startCopy(to);
    } catch (...) {
        to.error = std::current_exception();
    }
}

void BatchLoader::startCopy(Travelling& to) {
    const HostBatch& host = m_loader.next();
    to.indices.assign(host.indices.begin(), host.indices.end());
    const Batch loaded = hostTensors(host, m_shape.features, m_targetCount);
    const auto start = [&](const Tensor& from, const Tensor& whole) {
        if (!from) return Tensor{};
        const Tensor on = whole.head(host.rows());
        m_uploader->start(from.data, on);
        return on;
    };
    to.batch = {start(loaded.features, to.whole.features), start(loaded.labels, to.whole.labels),
                start(loaded.targets, to.whole.targets)};
}

ChannelScale sharedChannelScale(const Dataset& training, Communicator& communicator) {
    ChannelMoments moments(training);
    for (std::int64_t chunk = communicator.rank(); chunk < ChannelMoments::kChunks; chunk += communicator.size())
        moments.addChunk(chunk);
    // The values of each chunk of samples are computed by one rank; for this chunk, all other ranks contribute 0 to the
    // sum. The sum over the ranks is therefore exact.
    if (communicator.size() > 1) communicator.allReduce(CommBuffer::of(moments.values()), ReduceOp::kSum);
    return moments.scale();
}

}  // namespace ringside
