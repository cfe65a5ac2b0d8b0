// SPDX-License-Identifier: Apache-2.0
#include "train/loop/epoch_reports.h"

#include <bit>
#include <cmath>
#include <string>
#include <utility>

#include "base/crypto/sha256.h"
#include "cost/rank_memory.h"

namespace ringside {
namespace {

std::string hashOf(std::span<const std::int64_t> indices) {
    Sha256 sum;
    sum.add(std::as_bytes(indices));
    return sum.hex();
}

}  // namespace

void EpochReports::reportResult(SplitKind split, MetricSums& sums, const TrainingPosition& position) const {
    TrainerObserver& observer = m_dependencies.trainer.observer;
    const double none = std::nan("");
    const bool countsCorrect = m_dependencies.loss.countsCorrect();
    if (m_dependencies.trainer.config.stepPitfalls.localMetrics && split == SplitKind::kValidation)
        observer.onEvent(LocalResult{rank(), position.epoch, sums.loss(), countsCorrect ? sums.accuracy() : none,
                                     sums.samples(), position.step});
    sums.sumOverRanks(m_dependencies.strategy.dataParallelGroup());
    if (rank() != 0) return;
    observer.onEvent(EpochResult{.epoch = position.epoch,
                                 .split = split,
                                 .loss = sums.loss(),
                                 .accuracy = countsCorrect ? sums.accuracy() : none,
                                 .samples = sums.samples(),
                                 .lossPadded = sums.lossPadded(),
                                 .accuracyPadded = countsCorrect ? sums.accuracyPadded() : none,
                                 .samplesPadded = sums.samplesPadded(),
                                 .step = position.step,
                                 .timeUs = observer.nowUs(),
                                 .nonFiniteBatches = sums.nonFiniteBatches()});
}

void EpochReports::reportEpochEnd(std::span<const std::int64_t> trained, const TrainingPosition& position) const {
    const RankLayout& layout = m_dependencies.share.layout();
    if (layout.isFirstPipelineRank())
        m_dependencies.trainer.observer.onEvent(
            Consumed{layout.dataRank(), position.epoch, static_cast<std::int64_t>(trained.size()), hashOf(trained)});
    reportWeightChecksum(position);
}

void EpochReports::reportMemory() const {
    MemoryCount& count = m_dependencies.trainer.backend.memory();
    m_dependencies.trainer.observer.onEvent(RankMemory{.rank = rank(),
                                                       .parameters = count.bytesOf(MemoryClass::kParameters),
                                                       .gradients = count.bytesOf(MemoryClass::kGradients),
                                                       .optimizer = count.bytesOf(MemoryClass::kOptimizer),
                                                       .activations = count.bytesOf(MemoryClass::kActivations),
                                                       .gathered = count.bytesOf(MemoryClass::kGathered),
                                                       .buffers = count.bytesOf(MemoryClass::kBuffers),
                                                       .peak = count.total(),
                                                       .predictedPeak = predictedPeak()});
}

// Returns the predicted peak memory in bytes. Returns -1 for CUDA devices, where libraries allocate additional memory
// of unknown size.
std::int64_t EpochReports::predictedPeak() const {
    if (m_dependencies.trainer.config.parallel.device == DeviceChoice::kCuda) return -1;
    return predictMemory(m_dependencies.share.subject(), m_dependencies.share.plan(), rank()).peak();
}

void EpochReports::reportWeightChecksum(const TrainingPosition& position) const {
    const std::string sum = m_dependencies.strategy.isWhole()
                                ? parameterChecksum(m_dependencies.model.parameters(), m_dependencies.trainer.backend)
                                : parameterChecksum(m_dependencies.strategy);
    Replica replica{rank(), position.step, sum};
    // Short epochs would produce too much telemetry: checksums of single tensors are reported only in epochs 1, 2, 4,
    // 8, ... and in every 64th epoch.
    const auto epoch = static_cast<std::uint64_t>(position.epoch);
    if (std::has_single_bit(epoch) || epoch % 64 == 0) m_dependencies.replicas.addChecksums(replica);
    m_dependencies.trainer.observer.onEvent(std::move(replica));
}

}  // namespace ringside
