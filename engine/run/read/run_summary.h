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

// Loss and accuracy of a data split. Empty values, such as a loss that is not finite, are null in the file.
struct SplitMetrics {
    std::optional<double> loss{};
    std::optional<double> accuracy{};  // 0 to 1
    std::int64_t samples = 0;
};

// Metrics after the last finished epoch; all empty if no epoch was finished.
struct FinalMetrics {
    std::optional<std::int64_t> epoch{};
    std::optional<double> trainLoss{};
    std::optional<double> trainAccuracy{};
    std::optional<double> validationLoss{};
    std::optional<double> validationAccuracy{};
    std::optional<std::int64_t> validationSamples{};
    std::optional<SplitMetrics> exact{};   // counts each validation sample once
    std::optional<SplitMetrics> padded{};  // also counts the samples that make the ranks' shares equal
};

// Metrics of the epoch with the highest validation accuracy, or with the lowest validation loss if there is no
// accuracy.
struct BestMetrics {
    std::optional<std::int64_t> epoch{};
    std::optional<double> validationLoss{};
    std::optional<double> validationAccuracy{};
};

// First sample that a rank trained contrary to the plan. Step, slot and samples are empty if only a hash is known.
struct SummaryMismatch {
    std::int64_t rank = 0;
    std::int64_t epoch = 0;
    std::string text{};
    std::optional<std::int64_t> step{};
    std::optional<std::int64_t> slot{};
    std::optional<std::int64_t> planned{};
    std::optional<std::int64_t> trained{};
};

// Rank that makes the others wait, by the arrival times at the collectives.
struct Straggler {
    int rank = 0;
    std::string phase{};       // phase that delays the rank; "cpu" if another program uses its processor
    double share = 0;          // share of the steps in which it arrives last, 0 to 1
    double lostMsPerStep = 0;  // time that the others wait
};

// Device and link that the ranks imitated by throttling.
struct SummaryThrottle {
    double gflops = 0;
    double gbitPerSecond = 0;
    double latencyUs = 0;
    bool kept = true;  // this CPU was fast enough to imitate them
};

// Clock of a host at the end, relative to the run's clock.
struct SummaryClock {
    std::string host{};
    HostClock clock{};  // offsetUs is not written: it would reveal when the hosts were started
};

// Network link of a host in a run on several hosts, by the last report of its ranks.
struct SummaryLink {
    std::string host{};  // empty: rank 0's host
    int rank = 0;        // first rank on the host
    double roundTripMs = 0;
    std::optional<double> mbitPerSecond{};
    std::optional<std::string> slow{};  // reason why the link counts as slow; empty: it is not
};

// Completeness of the record in the run directory.
struct Recording {
    struct Stop {
        std::int64_t step = 0;  // last recorded step
        std::string why{};
    };
    std::int64_t bytes = 0;                         // size of telemetry, metrics and log
    std::optional<std::int64_t> thinnedFromStep{};  // first step recorded in windows
    std::int64_t linesLeftOut = 0;                  // lines beyond the budget
    std::optional<Stop> stopped{};                  // recording stopped because of a full or failed disk
};

// Library that trained the model of a watched run, for example "torch" "2.15.0".
struct SummaryFramework {
    std::string name{};
    std::string version{};
};

// Finding of the doctor in a watched run.
struct SummaryFinding {
    std::string code{};
    std::string severity{};  // mistake, cost or note
    std::string text{};
    std::optional<std::string> where{};  // "train.py:48"; empty: no line of the script
    Json evidence{};                     // an object, or null
    std::string remedy{};
};

// Check of a watched run that made no finding.
struct SummaryCheck {
    std::string code{};
    std::string result{};  // passed, skipped or could_not_judge
    std::string why{};     // reason, if the check did not pass
};

// Samples that the ranks used in one epoch. Empty values are not known; `why` gives the reason.
struct EpochSamples {
    std::int64_t epoch = 0;
    std::int64_t assigned = 0;  // over all ranks, with repetitions
    std::optional<std::int64_t> distinct{};
    std::optional<std::int64_t> twice{};  // uses beyond the first of each sample
    std::optional<std::int64_t> never{};
    std::optional<std::int64_t> size{};   // samples that the loaders select from
    bool finished = false;                // the ranks have read their loaders to the end
    std::string loader{};                 // line of the loader, "train.py:48"; empty: a run by Ringside
    std::int64_t group = 0;               // number of the data-parallel group
    std::vector<std::int64_t> perRank{};  // assigned to each rank of the group
    std::string why{};                    // cause of repeated or missing samples
};

// Line of text of the audit.
struct SamplesLine {
    std::string label{};  // "training epochs 1-3"
    std::string text{};
    bool good = true;  // no sample was repeated or left out without a reason
};

// Exactly-once audit: by loader, data-parallel group and epoch.
struct SummarySamples {
    std::vector<EpochSamples> train{};
    std::vector<EpochSamples> val{};
    std::int64_t validated = 0;               // distinct validation samples
    std::optional<std::int64_t> trainedOn{};  // of them trained on; empty: not known
    std::vector<SamplesLine> lines{};         // the result in words
};

// Content of summary.json: the outcome of a run, written when it ends. A provisional one is written earlier if a
// launcher may kill the supervisor.
struct RunSummary {
    int version = 1;
    std::string name{};
    RunOutcome state = RunOutcome::kFailed;
    int exitCode = 0;
    std::optional<int> firstFailedRank{};
    std::string verdict{};
    std::vector<std::string> lastLines{};  // last output of the failed rank
    std::int64_t worldSize = 0;
    std::int64_t steps = 0;
    std::int64_t plannedSteps = 0;
    std::int64_t stepsBefore = 0;  // steps done by the run that this one resumes
    std::int64_t nonFiniteBatches = 0;
    double trainSeconds = 0;
    double pausedSeconds = 0;
    double stepsPerSecond = 0;
    double samplesPerSecond = 0;
    std::optional<double> firstStepSeconds{};  // from the start to the end of the first step
    double totalSeconds = 0;
    FinalMetrics last{};  // named "final" in the file
    BestMetrics best{};
    std::string device{};
    std::string whyDevice{};
    std::optional<std::string> cpuSetting{};  // environment variable that changes the last bits of results
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
    Json normalize{};  // image normalization that the last weights expect, from the manifest
    std::int64_t restarts = 0;
    std::optional<std::string> weightsSha256{};
    std::optional<std::vector<RankMemory>> memory{};          // by rank, in bytes
    std::optional<SummaryThrottle> throttle{};                // set if the ranks were throttled
    std::optional<std::vector<std::int64_t>> bytesPerStep{};  // payload sent in each step, by rank
    std::optional<double> idleShare{};                        // see measuredIdleShare()
    std::vector<SummaryClock> clocks{};                       // all hosts except rank 0's
    std::optional<std::vector<SummaryLink>> links{};
    std::int64_t droppedTelemetrySteps = 0;   // over all ranks, which could not send them
    std::int64_t droppedTelemetryEvents = 0;  // the same for all telemetry except steps
    Recording recording{};
    std::string source{"trained"};  // trained, watched or imported
    // The following members are set in watched runs only.
    std::optional<SummaryFramework> framework{};
    std::optional<std::string> continues{};  // run directory that this run continues
    std::vector<SummaryFinding> findings{};
    std::vector<SummaryCheck> checks{};
    std::optional<SummarySamples> samples{};
};

Json toJson(const RunSummary& summary);

// Reads a summary. Fields that are missing or of another type keep their defaults, so that summaries of older versions
// can be read. A problem if the file is missing, larger than 16 MiB or not a JSON object.
Result<RunSummary> readRunSummary(const std::filesystem::path& file);

}  // namespace ringside
