// SPDX-License-Identifier: Apache-2.0
// Reports of a Trainer: steps, results, memory, traffic and checksums.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <string_view>
#include <utility>

#include "base/crypto/sha256.h"
#include "cost/strategy_cost.h"
#include "train/loop/trainer.h"

namespace ringside {

namespace {

std::string hashOf(std::span<const std::int64_t> indices) {
    Sha256 sum;
    sum.add(std::as_bytes(indices));
    return sum.hex();
}

}  // namespace

void Trainer::tellPace() {
    const std::optional<PaceKept> told = m_pacer.endStep(m_position.step);
    if (!told) return;
    m_parts.observer.onEvent(*told);
    std::array<char, 32> times{};
    std::snprintf(times.data(), times.size(), "%.2f", told->times);
    const std::string who = "rank " + std::to_string(told->rank);
    m_parts.observer.onEvent(LogLine{
        told->rank, *told->kept ? "info" : "warning",
        *told->kept ? who + " keeps the pace again"
                    : who + " does not keep the pace of parallel.pace: its passes take up to " + times.data() +
                          " times as long as asked for; this CPU is too slow for it: lower parallel.pace.gflops or "
                          "parallel.world_size",
        m_parts.observer.nowUs()});
}

void Trainer::reportStep(const StepResult& result, const StepSums& sums) {
    StepRecord record;
    record.epoch = m_position.epoch;
    record.step = m_position.step;
    record.loss = sums.meanLoss();
    record.correct = !m_loss->countsCorrect() ? -1 : m_layout.isReader() ? sums.correct : 0;
    // Ranks of one pipeline report the same samples, which must count once.
    record.samples = m_layout.isReader() ? static_cast<std::int64_t>(sums.samples) : 0;
    record.endUs = m_parts.observer.nowUs();
    record.gradientNorm = result.gradientNorm;
    record.learningRate = m_strategy->learningRate();
    record.dataUs = std::exchange(m_dataUs, 0);
    if (const PhaseTimes* times = m_tracer.sums()) {
        record.traced = true;
        std::ranges::transform(*times, record.phaseNs.begin(), [](std::int64_t ns) { return static_cast<float>(ns); });
    }
    m_parts.observer.onStep(record);
}

void Trainer::reportResult(const char* split, MetricSums& sums) {
    if (m_parts.config.stepPitfalls.localMetrics && split == std::string_view("val"))
        m_parts.observer.onEvent(LocalResult{m_parts.communicator.rank(), m_position.epoch, sums.loss(),
                                             m_loss->countsCorrect() ? sums.accuracy() : std::nan(""), sums.samples(),
                                             m_position.step});
    sums.reduce(m_strategy->readers());
    if (!isRankZero()) return;
    const double none = std::nan("");
    const bool hits = m_loss->countsCorrect();
    m_parts.observer.onEvent(EpochResult{.epoch = m_position.epoch,
                                         .split = split,
                                         .loss = sums.loss(),
                                         .accuracy = hits ? sums.accuracy() : none,
                                         .samples = sums.samples(),
                                         .lossPadded = sums.lossPadded(),
                                         .accuracyPadded = hits ? sums.accuracyPadded() : none,
                                         .samplesPadded = sums.samplesPadded(),
                                         .step = m_position.step,
                                         .timeUs = m_parts.observer.nowUs(),
                                         .nonFiniteBatches = sums.nonFiniteBatches()});
}

void Trainer::reportEpochEnd() {
    if (m_layout.isReader())
        m_parts.observer.onEvent(Consumed{m_layout.dataRank(), m_position.epoch,
                                          static_cast<std::int64_t>(m_consumed.size()), hashOf(m_consumed)});
    reportReplica();
}

// Reports the memory of this rank after all buffers are allocated.
void Trainer::reportMemory() {
    MemoryCount& count = m_parts.backend.memory();
    m_parts.observer.onEvent(RankMemory{.rank = m_parts.communicator.rank(),
                                        .parameters = count.of(MemoryClass::kParameters),
                                        .gradients = count.of(MemoryClass::kGradients),
                                        .optimizer = count.of(MemoryClass::kOptimizer),
                                        .activations = count.of(MemoryClass::kActivations),
                                        .gathered = count.of(MemoryClass::kGathered),
                                        .buffers = count.of(MemoryClass::kBuffers),
                                        .peak = count.all(),
                                        .predictedPeak = predictedPeak()});
}

// Returns the predicted peak memory in bytes, or -1 on CUDA devices, whose libraries allocate memory of their own.
std::int64_t Trainer::predictedPeak() const {
    const Result<CostSubject> subject = costSubject(m_parts.config, m_parts.data);
    if (!subject || m_parts.config.parallel.device == DeviceChoice::kCuda) return -1;
    const Result<StrategyPlan> plan = planStrategy(subject.value());
    return plan ? predictMemory(subject.value(), plan.value(), m_parts.communicator.rank()).peak() : -1;
}

// Reports the bytes sent in the first two full-batch steps. Some strategies also measure norms in the first.
void Trainer::reportTraffic(std::int64_t bytes) {
    constexpr int kTold = 2;
    if (m_trafficTold == kTold) return;
    ++m_trafficTold;
    m_parts.observer.onEvent(RankTraffic{m_parts.communicator.rank(), m_position.step, bytes});
}

void Trainer::reportReplica() {
    const std::string sum = m_strategy->isWhole() ? parameterChecksum(m_model->parameters(), m_parts.backend)
                                                  : parameterChecksum(*m_strategy);
    Replica replica{m_parts.communicator.rank(), m_position.step, sum};
    // Checksums of single tensors are added only in epochs 1, 2, 4, 8, ... and multiples of 64: epochs may be short.
    const auto epoch = static_cast<std::uint64_t>(m_position.epoch);
    if (std::has_single_bit(epoch) || epoch % 64 == 0) m_replicas.addChecksums(replica);
    m_parts.observer.onEvent(std::move(replica));
}

}  // namespace ringside
