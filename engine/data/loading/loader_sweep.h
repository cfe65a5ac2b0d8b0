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

// Speed at which several ranks load samples at the same time, each with `numWorkers` workers and without training.
struct LoaderRate {
    std::int64_t numWorkers = 0;
    std::int64_t ranks = 1;
    std::int64_t samples = 0;  // number of samples of all ranks together
    std::int64_t batches = 0;
    double seconds = 0;  // loading time of all samples in seconds, mean over the ranks

    double samplesPerSecond() const { return seconds > 0 ? static_cast<double>(samples) / seconds : 0; }
    // Returns the mean time in which one rank loads a batch, in milliseconds.
    double loadMsPerBatch() const {
        return batches > 0 ? 1000 * seconds * static_cast<double>(ranks) / static_cast<double>(batches) : 0;
    }
};

// Measures how fast the experiment's batches are loaded. All ranks load at the same time, each in its own thread, as
// ranks on one computer share its CPUs. Epochs repeat until the given time has passed. The first batch of each rank is
// not counted. The configuration must be valid for training. Throws SampleError.
class LoaderSweep {
  public:
    // Maximum number of ranks that are measured; larger runs usually use several computers.
    static constexpr std::int64_t kMaxRanks = 16;

    // `data` and `clock` must outlive this object.
    LoaderSweep(const RunConfig& config, const DataSplit& data, const Clock& clock);
    std::int64_t ranks() const;  // returns the number of ranks that load at the same time
    LoaderRate measure(std::int64_t numWorkers, std::chrono::duration<double> time) const;

  private:
    LoaderRate measureRank(int rank, std::int64_t numWorkers, std::chrono::duration<double> time) const;

    RunConfig m_config;
    const DataSplit& m_data;
    const Clock& m_clock;
    SampleTransforms m_transforms;
};

// Recommended number of workers: the smallest number whose speed is close to the best. The text explains it, such as "2
// workers: 18,400 samples/s, 1.9 times as many samples/s as with 0 workers; more workers are not faster on 2 CPUs".
// With several ranks, the text gives workers per rank.
struct LoaderAdvice {
    std::int64_t numWorkers = 0;
    std::string text;
};
// Returns the recommended number of workers for the measured `rates`, which must not be empty. cpus: number of CPUs of
// the computer, for the text.
LoaderAdvice adviseWorkers(std::span<const LoaderRate> rates, int cpus);

}  // namespace ringside
