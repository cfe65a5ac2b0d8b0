// SPDX-License-Identifier: Apache-2.0
#include "train/batch_gatherer.h"

#include "train/training_error.h"

namespace ringside {

namespace {

std::size_t floatCount(const Tensor& tensor) {
    return tensor ? static_cast<std::size_t>(tensor.count()) : 0;
}

}  // namespace

BatchGatherer::BatchGatherer(const Dataset& dataset, Backend& backend, std::int64_t maxBatch)
    : m_dataset(dataset), m_backend(backend), m_onHost(backend.device().kind == Device::Kind::kCpu) {
    m_batch.features = backend.allocate({maxBatch, dataset.shape().features}, DType::kFloat32);
    if (dataset.classCount() > 0)
        m_batch.labels = backend.allocate({maxBatch}, DType::kInt64);
    else
        m_batch.targets = backend.allocate({maxBatch, dataset.targetCount()}, DType::kFloat32);
    if (m_onHost) return;
    m_features.resize(floatCount(m_batch.features));
    m_labels.resize(floatCount(m_batch.labels));
    m_targets.resize(floatCount(m_batch.targets));
}

std::int64_t BatchGatherer::checkedLabel(std::int64_t index) const {
    const std::int64_t label = m_dataset.label(index);
    if (label >= 0 && label < m_dataset.classCount()) return label;
    throw TrainingError("sample " + std::to_string(index) + " has label " + std::to_string(label) +
                        ", but the data set's classes are 0 to " + std::to_string(m_dataset.classCount() - 1) +
                        ": mend the label or choose another dataset.label_column");
}

void BatchGatherer::fillHost(std::span<const std::int64_t> indices) {
    float* features = m_onHost ? static_cast<float*>(m_batch.features.data) : m_features.data();
    std::int64_t* labels = m_onHost ? static_cast<std::int64_t*>(m_batch.labels.data) : m_labels.data();
    float* targets = m_onHost ? static_cast<float*>(m_batch.targets.data) : m_targets.data();
    const auto featureCount = static_cast<std::size_t>(m_batch.features.shape.countPerRow());
    const auto targetCount = m_batch.targets ? static_cast<std::size_t>(m_batch.targets.shape.countPerRow()) : 0;
    for (const std::int64_t index : indices) {
        m_dataset.features(index, {features, featureCount});
        features += featureCount;
        if (m_batch.labels) {
            *labels++ = checkedLabel(index);
        } else {
            m_dataset.targets(index, {targets, targetCount});
            targets += targetCount;
        }
    }
}

Batch BatchGatherer::gather(std::span<const std::int64_t> indices) {
    const auto rows = static_cast<std::int64_t>(indices.size());
    Batch batch{m_batch.features.head(rows), m_batch.labels ? m_batch.labels.head(rows) : Tensor{},
                m_batch.targets ? m_batch.targets.head(rows) : Tensor{}};
    fillHost(indices);
    if (m_onHost) return batch;
    m_backend.upload(m_features.data(), batch.features);
    if (batch.labels) m_backend.upload(m_labels.data(), batch.labels);
    if (batch.targets) m_backend.upload(m_targets.data(), batch.targets);
    return batch;
}

}  // namespace ringside
