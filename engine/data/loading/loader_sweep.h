// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/time/clock.h"
#include "config/run_config.h"
#include "data/loading/sample_transforms.h"
#include "data/sets/common/dataset.h"

namespace ringside {

// How fast the batches of some ranks come, all at once, with so many workers each when nothing else is done.
struct LoaderRate {
    std::int64_t numWorkers = 0;
    std::int64_t ranks = 1;
    std::int64_t samples = 0;  // of all of them
    std::int64_t batches = 0;
    double seconds = 0;  // a rank's, on average

    double samplesPerSecond() const { return seconds > 0 ? static_cast<double>(samples) / seconds : 0; }
    // A rank's for a batch.
    double waitMs() const {
        return batches > 0 ? 1000 * seconds * static_cast<double>(ranks) / static_cast<double>(batches) : 0;
    }
};

// Loads the batches of the experiment's ranks, epoch after epoch, for about this long: of all ranks at once, as they
// share a computer's CPUs, each in a thread of its own. A rank's first batch is not counted. The experiment can be
// trained. Throws SampleError.
class LoaderSweep {
  public:
    // More ranks are spread over several computers.
    static constexpr std::int64_t kMostRanks = 16;

    // Clock and data outlive it.
    LoaderSweep(const RunConfig& config, const DataSplit& data, const Clock& clock);
    std::int64_t ranks() const;  // that load at once
    LoaderRate measure(std::int64_t numWorkers, std::chrono::duration<double> time) const;

  private:
    LoaderRate measureRank(int rank, std::int64_t numWorkers, std::chrono::duration<double> time) const;

    RunConfig m_config;
    const DataSplit& m_data;
    const Clock& m_clock;
    SampleTransforms m_transforms;
};

// The least number of workers that loads nearly as fast as the best, with a sentence: "2 workers: 18,400 samples/s, 1.9
// times as many as with 0; more gain nothing on 2 CPUs", of several ranks "2 workers a rank: 18,400 samples/s of 4
// ranks, ...".
struct LoaderAdvice {
    std::int64_t numWorkers = 0;
    std::string text;
};
LoaderAdvice adviseWorkers(std::span<const LoaderRate> rates, int cpus);  // at least one rate

}  // namespace ringside
