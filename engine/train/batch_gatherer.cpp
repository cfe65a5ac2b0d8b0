// SPDX-License-Identifier: Apache-2.0
#include "train/batch_gatherer.h"

#include "data/channel_moments.h"

namespace ringside {

namespace {

Batch allocateBatch(const GathererParts& parts) {
    const Dataset& dataset = parts.dataset;
    Batch batch;
    batch.features = parts.backend.allocate({parts.maxBatch, dataset.shape().features}, DType::kFloat32);
    if (dataset.classCount() > 0)
        batch.labels = parts.backend.allocate({parts.maxBatch, dataset.shape().labels()}, DType::kInt64);
    else
        batch.targets = parts.backend.allocate({parts.maxBatch, dataset.targetCount()}, DType::kFloat32);
    return batch;
}

DataLoaderOptions loaderOptions(const GathererParts& parts) {
    DataLoaderOptions options = dataLoaderOptions(parts.config);
    options.changeIndices = parts.changeIndices;
    return options;
}

// The loader's memory as tensors.
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

BatchGatherer::BatchGatherer(const GathererParts& parts)
    : m_backend(parts.backend),
      m_shape(parts.dataset.shape()),
      m_targetCount(parts.dataset.targetCount()),
      m_transforms(parts.config.loader, m_shape, parts.config.training.seed, parts.training),
      m_loader(parts.dataset, m_transforms, loaderOptions(parts), parts.maxBatch, parts.memory) {
    if (m_backend.device().kind != Device::Kind::kCpu) m_onDevice = allocateBatch(parts);
}

Batch BatchGatherer::next() {
    const HostBatch& host = m_loader.next();
    m_indices = host.indices;
    const Batch loaded = hostTensors(host, m_shape.features, m_targetCount);
    if (!m_onDevice.features) return loaded;
    const auto upload = [&](const Tensor& from, const Tensor& whole) {
        if (!from) return Tensor{};
        const Tensor to = whole.head(host.rows());
        m_backend.upload(from.data, to);
        return to;
    };
    return {upload(loaded.features, m_onDevice.features), upload(loaded.labels, m_onDevice.labels),
            upload(loaded.targets, m_onDevice.targets)};
}

ChannelScale sharedChannelScale(const Dataset& training, Communicator& communicator) {
    ChannelMoments moments(training);
    for (std::int64_t chunk = communicator.rank(); chunk < ChannelMoments::kChunks; chunk += communicator.size())
        moments.addChunk(chunk);
    // Every value is 0 on all ranks but one, so that their sum is exact.
    if (communicator.size() > 1) communicator.allReduce(CommBuffer::of(moments.values()), ReduceOp::kSum);
    return moments.scale();
}

}  // namespace ringside
