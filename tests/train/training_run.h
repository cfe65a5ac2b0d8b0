// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "config/run_config.h"
#include "data/sets/common/dataset.h"
#include "launch/channels/control_command.h"
#include "train/loop/trainer.h"

namespace ringside::test {

// All reports of one rank to its observer.
struct RankReport {
    std::vector<StepRecord> steps;
    std::vector<StepTrace> traces;
    std::vector<Event> events;
    std::vector<RankStage> states;
    std::vector<float> parameters;  // final values, in registration order
    TrainOutcome outcome = TrainOutcome::kFinished;
    int rests = 0;  // at layers and actions that are shown

    template <class T>
    std::vector<T> all() const {
        std::vector<T> found;
        for (const Event& event : events)
            if (const T* match = std::get_if<T>(&event)) found.push_back(*match);
        return found;
    }
    // Results of one split, epoch by epoch.
    std::vector<EpochResult> results(const std::string& split) const;
};

// Backend and communicator for a rank instead of the defaults; must outlive it.
struct RankParts {
    std::unique_ptr<Backend> backend;
    std::unique_ptr<Communicator> communicator;
};

struct RunOptions {
    std::filesystem::path runDirectory;
    // Called on rank 0 after each of its steps; true asks for a stop.
    std::function<bool(std::int64_t step)> stopAfter;
    // Commands that rank 0 receives after the step with this number; while ranks are paused, the others follow one at a
    // time.
    std::map<std::int64_t, std::vector<ControlCommand>> tellAfter = {};
    std::vector<ControlCommand> tellWhileHeld = {};
    SampleReport reportSamples = SampleReport::kAuto;
    std::int64_t stepUs = 0;  // how long a step takes by the clock that ranks are shown
    std::function<RankParts(Communicator& threads)> devices = {};
    std::function<void(const Event& event)> onEvent = {};  // called on rank 0
};

// Trains with config.parallel.worldSize ranks as threads; rethrows the first rank's error.
std::vector<RankReport> trainAsThreads(const RunConfig& config, const DataSplit& data, const RunOptions& options = {});
std::vector<RankReport> trainAsThreads(const RunConfig& config, const RunOptions& options = {});

// Gradients of about 1e15 in float32: times float16's loss scale their squares overflow until it has been halved a few
// times.
DataSplit largeNumbers();

// Mean loss over the global batch, step by step, of equal batches on every rank.
std::vector<double> globalLosses(const std::vector<RankReport>& ranks);

}  // namespace ringside::test
