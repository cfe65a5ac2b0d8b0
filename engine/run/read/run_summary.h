// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/errors/result.h"
#include "base/json/json.h"
#include "run/read/bits_basis.h"
#include "telemetry/events/events.h"

namespace ringside {

// Losses that are no finite number are told as null, as are all values that are not known.
struct SplitMetrics {
    std::optional<double> loss{};
    std::optional<double> accuracy{};  // 0 to 1
    std::int64_t samples = 0;
};

// After the last epoch; a run that ended earlier has none.
struct FinalMetrics {
    std::optional<std::int64_t> epoch{};
    std::optional<double> trainLoss{};
    std::optional<double> trainAccuracy{};
    std::optional<double> validationLoss{};
    std::optional<double> validationAccuracy{};
    std::optional<std::int64_t> validationSamples{};
    std::optional<SplitMetrics> exact{};   // every sample once
    std::optional<SplitMetrics> padded{};  // the samples that make the ranks' shares even counted as well
};

// The epoch with the highest validation accuracy, or the lowest loss where there is none.
struct BestMetrics {
    std::optional<std::int64_t> epoch{};
    std::optional<double> validationLoss{};
    std::optional<double> validationAccuracy{};
};

// The first sample that a rank trained on and the plan had not given it; without a place where only hashes differ.
struct SummaryMismatch {
    std::int64_t rank = 0;
    std::int64_t epoch = 0;
    std::string text{};
    std::optional<std::int64_t> step{};
    std::optional<std::int64_t> slot{};
    std::optional<std::int64_t> planned{};
    std::optional<std::int64_t> trained{};
};

// The rank that others wait for, from arrival times at the collectives.
struct Straggler {
    int rank = 0;
    std::string phase{};       // "cpu" where another program takes its processor
    double share = 0;          // of the steps in which it arrives last
    double lostMsPerStep = 0;  // that the others wait
};

// The device and the link that ranks were slowed down to, and whether this CPU was fast enough for them.
struct SummaryPace {
    double gflops = 0;
    double gbitPerSecond = 0;
    double latencyUs = 0;
    bool kept = true;
};

// How the clock of a host stood to the run's at the end, and the way there.
struct SummaryClock {
    std::string host{};
    HostClock clock{};  // offsetUs is left out: it says when the hosts were switched on
};

// How a host was reached by the others, as its ranks last told; of runs on several hosts.
struct SummaryLink {
    std::string host{};  // empty: the run's own
    int rank = 0;        // the first on it
    double roundTripMs = 0;
    std::optional<double> mbitPerSecond{};
    std::optional<std::string> slow{};  // why it is called so
};

// What of the run its directory holds: all of it, or windows of steps, or nothing after the disk was full.
struct Recording {
    struct Stop {
        std::int64_t step = 0;
        std::string why{};
    };
    std::int64_t bytes = 0;
    std::optional<std::int64_t> thinnedFromStep{};
    std::int64_t linesLeftOut = 0;
    std::optional<Stop> stopped{};
};

// summary.json: what a run came to. Written once, when it ends, and read by everything that shows a run.
struct RunSummary {
    int version = 1;
    std::string name{};
    std::string state{};  // finished, stopped, failed
    int exitCode = 0;
    std::optional<int> firstFailedRank{};
    std::string verdict{};
    std::vector<std::string> lastLines{};  // of the rank that failed
    std::int64_t worldSize = 0;
    std::int64_t steps = 0;
    std::int64_t plannedSteps = 0;
    std::int64_t stepsBefore = 0;  // of the run that this one goes on from
    std::int64_t nonFiniteBatches = 0;
    double trainSeconds = 0;
    double pausedSeconds = 0;
    double stepsPerSecond = 0;
    double samplesPerSecond = 0;
    std::optional<double> firstStepSeconds{};  // since the start
    double totalSeconds = 0;
    FinalMetrics last{};  // "final"
    BestMetrics best{};
    std::string device{};
    std::string whyDevice{};
    std::optional<std::string> cpuSetting{};  // of the environment, that changes the bits
    std::string backend{};
    std::string whyBackend{};
    std::optional<BitsBasis> bitsDependOn{};
    std::vector<std::string> planHashes{};
    std::optional<bool> planVerified{};
    std::int64_t planAuditedEpochs = 0;
    std::optional<SummaryMismatch> planMismatch{};
    double dataWaitShare = 0;
    std::optional<Straggler> straggler{};
    std::optional<std::string> timeVerdict{};
    Json normalize{};  // what the last weights expect of images, as the manifest has it
    std::int64_t restarts = 0;
    std::optional<std::string> weightsSha256{};
    std::optional<std::vector<RankMemory>> memory{};          // by rank, bytes
    std::optional<SummaryPace> pace{};                        // of a run that was slowed down to another device
    std::optional<std::vector<std::int64_t>> bytesPerStep{};  // that each rank sends, as its communicators count
    std::optional<double> idleShare{};   // of the passes' time, waiting for other stages: measuredIdleShare()
    std::vector<SummaryClock> clocks{};  // of all hosts but the run's own
    std::optional<std::vector<SummaryLink>> links{};
    std::int64_t droppedTelemetrySteps = 0;
    Recording recording{};
};

Json toJson(const RunSummary& summary);

// Fields that lack or are of another type keep their defaults, so that summaries of older versions can be read.
// A file that is missing, too large (16 MiB), no JSON or no object is a problem.
Result<RunSummary> readRunSummary(const std::filesystem::path& file);

}  // namespace ringside
