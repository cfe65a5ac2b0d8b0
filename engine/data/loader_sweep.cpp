// SPDX-License-Identifier: Apache-2.0
#include "data/loader_sweep.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "base/number_text.h"
#include "data/channel_moments.h"
#include "data/data_loader.h"
#include "sampling/plan_sentences.h"

namespace ringside {
namespace {

// Two measurements of the same thing differ by about as much.
constexpr double kNearlyAsFast = 0.95;

std::string workersText(std::int64_t count) {
    return std::to_string(count) + (count == 1 ? " worker" : " workers");
}

std::string timesText(double times) {
    std::array<char, 16> text{};
    std::snprintf(text.data(), text.size(), "%.1f", times);
    return text.data();
}

}  // namespace

LoaderSweep::LoaderSweep(const RunConfig& config, const DataSplit& data, const Clock& clock)
    : m_config(config),
      m_data(data),
      m_clock(clock),
      m_transforms(config.loader, data.training->shape(), config.training.seed, true) {
    if (config.loader.normalize) m_transforms.setScale(channelScale(*data.training));
}

LoaderRate LoaderSweep::measure(std::int64_t numWorkers, std::chrono::duration<double> time) const {
    DataLoaderOptions options = dataLoaderOptions(m_config);
    options.numWorkers = numWorkers;
    const Result<ShardPlan> plan = ShardPlan::make(epochSpec(m_config, m_data.training, 0));
    RINGSIDE_ASSERT(plan && plan.value().stepsPerEpoch() > 0);
    const auto memory = makeHostMemory();
    DataLoader loader(*m_data.training, m_transforms, options,
                      std::min(m_config.loader.batchSize, plan.value().samplesPerRank()), *memory);
    LoaderRate rate{.numWorkers = numWorkers};
    TimePoint start;
    bool started = false;
    for (std::int64_t epoch = 0; rate.seconds < time.count(); ++epoch) {
        loader.begin(plan.value(), 0, epoch);
        for (std::int64_t step = 0; step < plan.value().stepsPerEpoch() && rate.seconds < time.count(); ++step) {
            const std::int64_t rows = loader.next().rows();
            const TimePoint now = m_clock.now();
            if (!started) {
                start = now;
                started = true;
                continue;
            }
            rate.samples += rows;
            ++rate.batches;
            rate.seconds = std::chrono::duration<double>(now - start).count();
        }
        loader.end();
    }
    return rate;
}

LoaderAdvice adviseWorkers(std::span<const LoaderRate> rates, int cpus) {
    const auto byWorkers = [](const LoaderRate& rate) { return rate.numWorkers; };
    const double best = std::ranges::max(rates, {}, &LoaderRate::samplesPerSecond).samplesPerSecond();
    std::vector<LoaderRate> enough(rates.begin(), rates.end());
    std::erase_if(enough, [&](const LoaderRate& rate) { return rate.samplesPerSecond() < kNearlyAsFast * best; });
    const LoaderRate& chosen = std::ranges::min(enough, {}, byWorkers);
    const LoaderRate& least = std::ranges::min(rates, {}, byWorkers);
    const LoaderRate& most = std::ranges::max(rates, {}, byWorkers);

    std::string text =
        workersText(chosen.numWorkers) + ": " + grouped(std::llround(chosen.samplesPerSecond())) + " samples/s";
    if (chosen.numWorkers != least.numWorkers && least.samplesPerSecond() > 0)
        text += ", " + timesText(chosen.samplesPerSecond() / least.samplesPerSecond()) + " times as many as with " +
                std::to_string(least.numWorkers);
    if (chosen.numWorkers != most.numWorkers)
        text += "; more gain nothing on " + std::to_string(cpus) + (cpus == 1 ? " CPU" : " CPUs");
    else if (rates.size() > 1)
        text += "; more than " + std::to_string(most.numWorkers) + " were not tried";
    return {chosen.numWorkers, text};
}

}  // namespace ringside
