// SPDX-License-Identifier: Apache-2.0
#include "train/batches/training_batches.h"

namespace ringside {

void TrainingBatches::begin(const ShardPlan& plan, int dataRank, std::int64_t epoch, std::int64_t firstBatch) {
    m_trained.clear();
    m_trained.reserve(static_cast<std::size_t>(plan.samplesPerRank()));
    const SlotRange before = firstBatch > 0 ? plan.batch(firstBatch - 1) : SlotRange{};
    const std::int64_t trained = before.first + before.count;
    for (std::int64_t slot = 0; slot < trained; ++slot) m_trained.push_back(plan.index(dataRank, slot));
    m_gatherer.begin(plan, dataRank, epoch, firstBatch);
}

Batch TrainingBatches::next() {
    const PhaseScope scope(m_observer.progress().phase, Phase::kDataWait);
    const std::int64_t from = m_observer.nowUs();
    const Batch batch = m_gatherer.next();
    m_readyUs = m_observer.nowUs();
    m_waitUs += m_readyUs - from;
    m_observer.progress().batches.fetch_add(1, std::memory_order_relaxed);
    m_trained.insert(m_trained.end(), m_gatherer.indices().begin(), m_gatherer.indices().end());
    return batch;
}

}  // namespace ringside
