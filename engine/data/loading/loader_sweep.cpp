// SPDX-License-Identifier: Apache-2.0
#include "data/loading/loader_sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <thread>

#include "base/text/number_text.h"
#include "data/loading/channel_moments.h"
#include "data/loading/data_loader.h"
#include "sampling/plan/epoch_spec.h"

namespace ringside {
namespace {

// A number of workers counts as fast as the fastest one if its speed is at least this share of the fastest speed.
// Repeated measurements of the same loader differ by about 5 %.
constexpr double kNearlyAsFast = 0.95;

std::string workersText(std::int64_t count) {
    return std::to_string(count) + (count == 1 ? " worker" : " workers");
}

std::string timesText(double times) {
    return fmt::format("{:.1f}", times);
}

}  // namespace

LoaderSweep::LoaderSweep(const RunConfig& config, const DataSplit& data, const Clock& clock)
    : m_config(config),
      m_data(data),
      m_clock(clock),
      m_transforms(config.loader, data.training->shape(), config.training.seed, true) {
    if (config.loader.normalize) m_transforms.setScale(channelScale(*data.training));
}

std::int64_t LoaderSweep::ranks() const {
    return std::clamp<std::int64_t>(m_config.parallel.worldSize, 1, kMaxRanks);
}

LoaderRate LoaderSweep::measure(std::int64_t numWorkers, std::chrono::duration<double> time) const {
    const auto count = static_cast<std::size_t>(ranks());
    std::vector<LoaderRate> rates(count);
    std::vector<std::exception_ptr> errors(count);
    const auto measureOne = [&](std::size_t rank) {
        try {
            rates[rank] = measureRank(static_cast<int>(rank), numWorkers, time);
        } catch (...) {
            errors[rank] = std::current_exception();
        }
    };
    {
        std::vector<std::jthread> others;
        for (std::size_t rank = 1; rank < count; ++rank) others.emplace_back(measureOne, rank);
        measureOne(0);
    }
    LoaderRate sum{.numWorkers = numWorkers, .ranks = ranks()};
    for (std::size_t rank = 0; rank < count; ++rank) {
        if (errors[rank]) std::rethrow_exception(errors[rank]);
        sum.samples += rates[rank].samples;
        sum.batches += rates[rank].batches;
        sum.seconds += rates[rank].seconds / static_cast<double>(count);
    }
    return sum;
}

LoaderRate LoaderSweep::measureRank(int rank, std::int64_t numWorkers, std::chrono::duration<double> time) const {
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
        loader.begin(plan.value(), rank, epoch);
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

    const bool several = chosen.ranks > 1;
    std::string text = workersText(chosen.numWorkers) + (several ? " per rank: " : ": ") +
                       grouped(std::llround(chosen.samplesPerSecond())) + " samples/s" +
                       (several ? " of " + std::to_string(chosen.ranks) + " ranks" : "");
    if (chosen.numWorkers != least.numWorkers && least.samplesPerSecond() > 0)
        text += ", " + timesText(chosen.samplesPerSecond() / least.samplesPerSecond()) +
                " times as many samples/s as with " + workersText(least.numWorkers);
    if (chosen.numWorkers != most.numWorkers)
        text += "; more workers are not faster on " + std::to_string(cpus) + (cpus == 1 ? " CPU" : " CPUs");
    else if (rates.size() > 1)
        text += "; more than " + workersText(most.numWorkers) + " were not tried";
    return {chosen.numWorkers, text};
}

}  // namespace ringside
