// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "config/run_config.h"
#include "data/dataset.h"
#include "data/sample_transforms.h"

namespace ringside {

// How fast one rank's batches come with so many workers when nothing else is done.
struct LoaderRate {
    std::int64_t numWorkers = 0;
    std::int64_t samples = 0;
    std::int64_t batches = 0;
    double seconds = 0;

    double samplesPerSecond() const { return seconds > 0 ? static_cast<double>(samples) / seconds : 0; }
    double waitMs() const { return batches > 0 ? 1000 * seconds / static_cast<double>(batches) : 0; }  // for a batch
};

// Loads rank 0's batches of the experiment, epoch after epoch, for about this long. The first batch of all is not
// counted. The experiment can be trained. Throws SampleError.
class LoaderSweep {
  public:
    // Clock and data outlive it.
    LoaderSweep(const RunConfig& config, const DataSplit& data, const Clock& clock);
    LoaderRate measure(std::int64_t numWorkers, std::chrono::duration<double> time) const;

  private:
    RunConfig m_config;
    const DataSplit& m_data;
    const Clock& m_clock;
    SampleTransforms m_transforms;
};

// The least number of workers that loads nearly as fast as the best, with a sentence: "2 workers: 18,400 samples/s, 1.9
// times as many as without; more gain nothing on 2 CPUs".
struct LoaderAdvice {
    std::int64_t numWorkers = 0;
    std::string text;
};
LoaderAdvice adviseWorkers(std::span<const LoaderRate> rates, int cpus);  // at least one rate

}  // namespace ringside
