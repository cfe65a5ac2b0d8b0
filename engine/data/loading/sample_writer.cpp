// SPDX-License-Identifier: Apache-2.0
#include "data/loading/sample_writer.h"

#include "data/sets/common/sample_error.h"

namespace ringside {

SampleWriter::SampleWriter(const Dataset& dataset, const SampleTransforms& transforms)
    : m_dataset(dataset),
      m_transforms(transforms),
      m_features(static_cast<std::size_t>(dataset.shape().features)),
      m_labels(static_cast<std::size_t>(dataset.shape().labels())),
      m_targets(static_cast<std::size_t>(dataset.targetCount())),
      m_untransformed(transforms.cropsOrFlips() ? m_features : 0) {}

// Writes all features before all labels: the processor overlaps memory accesses better in two short loops.
void SampleWriter::write(const HostBatch& batch, std::int64_t epoch, const PrefetchQueue* queue) {
    const std::size_t rows = batch.indices.size();
    for (std::size_t row = 0; row < rows; ++row) {
        writeFeatures(batch.indices[row], epoch, batch.features.subspan(row * m_features, m_features));
        if (queue != nullptr && queue->isCancelled()) return;
    }
    if (!batch.labels.empty()) {
        for (std::size_t row = 0; row < rows; ++row)
            writeLabels(batch.indices[row], batch.labels.subspan(row * m_labels, m_labels));
        return;
    }
    for (std::size_t row = 0; row < rows; ++row)
        m_dataset.targets(batch.indices[row], batch.targets.subspan(row * m_targets, m_targets));
}

void SampleWriter::writeFeatures(std::int64_t index, std::int64_t epoch, std::span<float> to) {
    try {
        m_dataset.features(index, m_untransformed.empty() ? to : std::span(m_untransformed));
    } catch (const InternalError&) {
        throw;
    } catch (const Error& error) {
        throw SampleError("sample " + std::to_string(index) + ": " + error.what(), error.exitCode());
    }
    if (!m_untransformed.empty()) m_transforms.cropAndFlip(m_untransformed, to, epoch, index);
    m_transforms.normalize(to);
}

void SampleWriter::writeLabels(std::int64_t index, std::span<std::int64_t> to) const {
    if (m_labels == 1) {
        to[0] = checked(m_dataset.label(index), index);
        return;
    }
    m_dataset.labels(index, to);
    for (const std::int64_t label : to) checked(label, index);
}

std::int64_t SampleWriter::checked(std::int64_t label, std::int64_t index) const {
    if (label >= 0 && label < m_dataset.classCount()) return label;
    throw SampleError("sample " + std::to_string(index) + " has label " + std::to_string(label) +
                          ", but the data set's classes are 0 to " + std::to_string(m_dataset.classCount() - 1) +
                          ": correct the label or choose another dataset.label_column",
                      ExitCode::kBadConfiguration);
}

}  // namespace ringside
