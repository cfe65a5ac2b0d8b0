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

// All reports of one rank to its observer, and its results.
struct RankReport {
    std::vector<StepRecord> steps;
    std::vector<StepTrace> traces;
    std::vector<Event> events;
    std::vector<RankStage> states;
    std::vector<float> parameters;  // final values, in registration order
    TrainOutcome outcome = TrainOutcome::kFinished;
    int rests = 0;  // number of pauses at layers and actions in slow motion

    template <class T>
    std::vector<T> all() const {
        std::vector<T> found;
        for (const Event& event : events)
            if (const T* match = std::get_if<T>(&event)) found.push_back(*match);
        return found;
    }
    // Returns the results of a split ("train" or "val"), one for each epoch.
    std::vector<EpochResult> results(const std::string& split) const;
};

// Backend and communicator of a rank that replace the defaults. They must exist until the training has ended.
struct RankParts {
    std::unique_ptr<Backend> backend;
    std::unique_ptr<Communicator> communicator;
};

struct RunOptions {
    std::filesystem::path runDirectory;
    // Called on rank 0 after each of its steps; true requests a stop.
    std::function<bool(std::int64_t step)> stopAfter;
    // Commands that rank 0 receives after the step with this number. commandsWhilePaused: further commands, one each
    // time that the ranks pause.
    std::map<std::int64_t, std::vector<ControlCommand>> commandsAfter = {};
    std::vector<ControlCommand> commandsWhilePaused = {};
    SampleReport reportSamples = SampleReport::kAuto;
    std::int64_t stepUs = 0;  // duration of a step according to the clock that ranks see, in microseconds
    std::function<RankParts(Communicator& threads)> devices = {};
    std::function<void(const Event& event)> onEvent = {};  // called on rank 0
};

// Trains with config.parallel.worldSize ranks as threads; rethrows the first rank's error.
std::vector<RankReport> trainAsThreads(const RunConfig& config, const DataSplit& data, const RunOptions& options = {});
std::vector<RankReport> trainAsThreads(const RunConfig& config, const RunOptions& options = {});

// Returns data whose gradients are about 1e15 in float32. Multiplied by the loss scale of float16, their squares
// overflow until the scale has been halved a few times.
DataSplit largeNumbers();

// Returns the mean loss over the global batch for each step. The batches of all ranks must be equally large.
std::vector<double> globalLosses(const std::vector<RankReport>& ranks);

}  // namespace ringside::test
