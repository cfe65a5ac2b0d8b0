// SPDX-License-Identifier: Apache-2.0
#include "run/record/epoch_gate.h"

#include <algorithm>

namespace ringside {
namespace {

constexpr std::size_t kRankBytes = 280;  // approximate size of the lines with the hash and the checksum of one rank in
                                         // an epoch, in bytes
// Approximate size of the lines with an epoch's training and validation results in telemetry.jsonl and metrics.jsonl,
// in bytes.
constexpr std::size_t kResultBytes = 1400;
// Number of epochs whose decision is stored. Ranks are never that many epochs apart, so that all ranks get the same
// decision for an epoch.
constexpr std::size_t kRemembered = 16;

}  // namespace

EpochGate::EpochGate(RecordBudget& budget, int worldSize, std::int64_t epochs)
    : m_budget(budget),
      m_epochs(epochs),
      m_bytes(kResultBytes + kRankBytes * static_cast<std::size_t>(std::max(worldSize, 1))) {}

bool EpochGate::isRecorded(std::int64_t epoch) {
    if (const auto known = m_decided.find(epoch); known != m_decided.end()) return known->second;
    const std::int64_t every = std::int64_t{1} << m_budget.halvings(RecordKind::kEpochs);
    bool keeps = (epoch + 1) % every == 0;
    if (keeps) keeps = m_budget.spend(RecordKind::kEpochs, m_bytes);
    keeps = keeps || epoch == m_epochs - 1;
    m_decided[epoch] = keeps;
    if (m_decided.size() > kRemembered) m_decided.erase(m_decided.begin());
    return keeps;
}

}  // namespace ringside
