// SPDX-License-Identifier: Apache-2.0
#include "train/interfaces/metric_sums.h"

#include <cmath>
#include <limits>
#include <numeric>

#include "base/errors/errors.h"

namespace ringside {

double sumOf(std::span<const float> values) {
    return std::accumulate(values.begin(), values.end(), 0.0);
}

void MetricSums::add(const SampleLosses& losses, std::size_t unique) {
    RINGSIDE_ASSERT(unique <= losses.loss.size());
    const double exactLoss = sumOf(losses.loss.first(unique));
    const double exactCorrect = losses.correct.empty() ? 0 : sumOf(losses.correct.first(unique));
    m_sums[0] += exactLoss;
    m_sums[1] += exactCorrect;
    m_sums[2] += static_cast<double>(unique);
    const double paddedLoss = exactLoss + sumOf(losses.loss.subspan(unique));
    m_sums[3] += paddedLoss;
    m_sums[4] += exactCorrect + (losses.correct.empty() ? 0 : sumOf(losses.correct.subspan(unique)));
    m_sums[5] += static_cast<double>(losses.loss.size());
    if (!std::isfinite(paddedLoss)) m_sums[6] += 1;
}

void MetricSums::sumOverRanks(Communicator& communicator) {
    if (communicator.size() > 1) communicator.allReduce(CommBuffer::of(m_sums), ReduceOp::kSum);
}

double MetricSums::ratio(std::size_t sum, std::size_t count) const {
    return m_sums[count] > 0 ? m_sums[sum] / m_sums[count] : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace ringside
