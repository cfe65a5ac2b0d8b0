// SPDX-License-Identifier: Apache-2.0
#include "data/loading/data_loader.h"

#include <algorithm>

namespace ringside {

namespace {

PrefetchOptions prefetchOptions(const DataLoaderOptions& options) {
    return {.workers = static_cast<std::size_t>(options.numWorkers),
            .ahead = static_cast<std::size_t>(options.numWorkers * options.prefetchFactor),
            .persistent = options.persistentWorkers};
}

template <class T>
std::span<T> allocate(BatchMemory& memory, std::int64_t count) {
    if (count == 0) return {};
    const auto size = static_cast<std::size_t>(count);
    return {reinterpret_cast<T*>(memory.allocate(size * sizeof(T))), size};
}

}  // namespace

DataLoaderOptions dataLoaderOptions(const RunConfig& config) {
    return {.numWorkers = config.loader.numWorkers,
            .prefetchFactor = config.loader.prefetchFactor,
            .persistentWorkers = config.loader.persistentWorkers,
            .changeIndices = {}};
}

DataLoader::DataLoader(const Dataset& dataset, const SampleTransforms& transforms, const DataLoaderOptions& options,
                       std::int64_t maxBatch, BatchMemory& memory)
    : m_options(options),
      m_maxBatch(maxBatch),
      m_features(dataset.shape().features),
      m_labels(dataset.classCount() > 0 ? dataset.shape().labels() : 0),
      m_targets(m_labels > 0 ? 0 : dataset.targetCount()),
      m_memory(memory),
      m_writers(static_cast<std::size_t>(std::max<std::int64_t>(options.numWorkers, 1)),
                SampleWriter(dataset, transforms)) {
    if (options.numWorkers > 0)
        m_queue = std::make_unique<PrefetchQueue>(
            prefetchOptions(options), [this](std::int64_t batch, std::size_t slot, std::size_t worker,
                                             const PrefetchQueue& queue) { loadBatch(batch, slot, worker, &queue); });
}

void DataLoader::allocateSlot() {
    const HostBatch whole{.indices = allocate<std::int64_t>(m_memory, m_maxBatch),
                          .features = allocate<float>(m_memory, m_maxBatch * m_features),
                          .labels = allocate<std::int64_t>(m_memory, m_maxBatch * m_labels),
                          .targets = allocate<float>(m_memory, m_maxBatch * m_targets)};
    m_slots.push_back({whole, whole});
}

HostBatch DataLoader::firstRows(const HostBatch& whole, std::int64_t rows) const {
    const auto count = static_cast<std::size_t>(rows);
    return {.indices = whole.indices.first(count),
            .features = whole.features.first(count * static_cast<std::size_t>(m_features)),
            .labels = whole.labels.first(count * static_cast<std::size_t>(m_labels)),
            .targets = whole.targets.first(count * static_cast<std::size_t>(m_targets))};
}

void DataLoader::begin(const ShardPlan& plan, int rank, std::int64_t epoch, std::int64_t firstBatch) {
    end();
    m_plan = plan;
    m_rank = rank;
    m_epoch = epoch;
    m_firstBatch = firstBatch;
    m_batch = 0;
    const std::int64_t batches = plan.stepsPerEpoch() - firstBatch;
    const std::int64_t most = m_queue ? m_options.numWorkers * m_options.prefetchFactor + 1 : 1;
    while (static_cast<std::int64_t>(m_slots.size()) < std::min(most, batches)) allocateSlot();
    if (m_queue) m_queue->begin(batches);
}

const HostBatch& DataLoader::next() {
    if (m_queue) return m_slots[m_queue->nextSlot()].batch;
    loadBatch(m_batch++, 0, 0, nullptr);
    return m_slots.front().batch;
}

void DataLoader::end() {
    if (m_queue) m_queue->end();
}

void DataLoader::loadBatch(std::int64_t batch, std::size_t slot, std::size_t worker, const PrefetchQueue* queue) {
    const SlotRange range = m_plan->batch(m_firstBatch + batch);
    const HostBatch to = m_slots[slot].batch = firstRows(m_slots[slot].whole, range.count);
    for (std::size_t row = 0; row < to.indices.size(); ++row)
        to.indices[row] = m_plan->index(m_rank, range.first + static_cast<std::int64_t>(row));
    if (m_options.changeIndices) m_options.changeIndices(m_epoch, range.first, to.indices);
    m_writers[worker].write(to, m_epoch, queue);
}

}  // namespace ringside
