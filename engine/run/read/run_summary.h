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
    std::optional<double> accuracy{};  // share of correct predictions, 0 to 1
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
    std::optional<SplitMetrics> exact{};   // result that counts each validation sample once
    std::optional<SplitMetrics> padded{};  // result that also counts the samples that the sampler repeats to give all
                                           // ranks the same number
};

// Metrics of the epoch with the highest validation accuracy, or with the lowest validation loss if there is no
// accuracy.
struct BestMetrics {
    std::optional<std::int64_t> epoch{};
    std::optional<double> validationLoss{};
    std::optional<double> validationAccuracy{};
};

// First sample that a rank trained although the sampler had assigned another sample to its position. The step, the slot
// (position in the rank's list of samples) and the two samples are empty if the comparison had only a hash of the
// epoch.
struct SummaryMismatch {
    std::int64_t rank = 0;
    std::int64_t epoch = 0;
    std::string text{};
    std::optional<std::int64_t> step{};
    std::optional<std::int64_t> slot{};
    std::optional<std::int64_t> planned{};
    std::optional<std::int64_t> trained{};
};

// Rank for which the other ranks wait longest, determined from the times at which the ranks arrive at the collectives.
struct Straggler {
    int rank = 0;
    std::string phase{};       // phase of the step that makes this rank late; "cpu" if another program uses its
                               // processor
    double share = 0;          // share of the steps in which this rank arrives last, 0 to 1
    double lostMsPerStep = 0;  // time per step that the other ranks wait for this rank, in milliseconds
};

// Device and link that the ranks imitated by throttling.
struct SummaryThrottle {
    double gflops = 0;
    double gbitPerSecond = 0;
    double latencyUs = 0;
    bool kept = true;  // true if this CPU was fast enough to imitate the configured device and link
};

// Clock of a host at the end of the run, compared with the run's clock.
struct SummaryClock {
    std::string host{};
    // Measured clock of the host. offsetUs is not written, because it would reveal when the host was booted.
    HostClock clock{};
};

// Network link of a host in a run on several hosts, as last reported by the host's ranks.
struct SummaryHostLink {
    std::string host{};  // name of the host; empty: rank 0's host
    int rank = 0;        // first rank on the host
    double roundTripMs = 0;
    std::optional<double> mbitPerSecond{};
    std::optional<std::string> slow{};  // reason why the link counts as slow; empty: the link is not slow
};

// Completeness of the record in the run directory.
struct Recording {
    struct Stop {
        std::int64_t step = 0;  // number of the last recorded step
        std::string why{};
    };
    std::int64_t bytes = 0;                         // size of telemetry, metrics and log in bytes
    std::optional<std::int64_t> thinnedFromStep{};  // first step recorded as part of a window of several steps; empty:
                                                    // each step has its own line
    // Number of lines that were not recorded because the size limit of the run directory was reached.
    std::int64_t linesLeftOut = 0;
    std::optional<Stop> stopped{};  // reason why recording stopped early: a full or failed disk; empty
                                    // if it did not stop early
};

// Library that trained the model of a watched run, for example "torch" "2.15.0".
struct SummaryFramework {
    std::string name{};
    std::string version{};
};

// Finding of the checks of a watched run (`ringsidectl doctor`).
struct SummaryFinding {
    std::string code{};
    std::string severity{};  // severity of the finding: mistake, cost or note
    std::string text{};
    std::optional<std::string> where{};  // line of the script, such as "train.py:48"; empty if there is none
    Json evidence{};                     // evidence of the finding: an object, or null
    std::string remedy{};
};

// Check of a watched run that found no problem.
struct SummaryCheck {
    std::string code{};
    std::string result{};  // result of the check: passed, skipped or could_not_judge
    std::string why{};     // reason of the result, if the check did not pass
};

// Samples that the ranks of one data-parallel group used in one epoch. Empty values are not known; `why` gives the
// reason.
struct EpochSamples {
    std::int64_t epoch = 0;
    std::int64_t assigned = 0;  // number of samples assigned to the ranks of the group, repeated ones included
    std::optional<std::int64_t> distinct{};
    std::optional<std::int64_t> twice{};  // number of repeated uses of samples: all uses of a sample except its first
    std::optional<std::int64_t> never{};
    std::optional<std::int64_t> size{};   // number of samples in the data set from which the loaders select
    bool finished = false;                // true if the ranks have read their loaders to the end
    std::string loader{};                 // line that creates the loader, such as "train.py:48", with " (loader 2)" if
                                          // several loaders have this line; empty for a run by Ringside
    std::int64_t group = 0;               // number of the data-parallel group, counted from 0
    std::vector<std::int64_t> perRank{};  // number of samples assigned to each rank of the group
    std::string why{};                    // cause of repeated or missing samples, as text
};

// Line of text of the sample audit, with its label.
struct SamplesLine {
    std::string label{};  // part of the training, such as "training epochs 1-3"
    std::string text{};
    bool good = true;   // true if no sample was repeated or left out without a reason
    bool known = true;  // false if the samples could only be counted, not identified: `good` has no meaning
};

// Result of the audit that checks whether each sample was used exactly once, by loader, data-parallel group and epoch.
struct SummarySamples {
    std::vector<EpochSamples> train{};
    std::vector<EpochSamples> val{};
    std::int64_t validated = 0;  // number of distinct samples used for validation
    // Number of distinct validation samples that were also used for training; empty: not known.
    std::optional<std::int64_t> trainedOn{};
    std::vector<SamplesLine> lines{};  // text lines that state the result of the audit
};

// Content of summary.json: the outcome of a run, written when the run ends. A provisional summary is written earlier if
// a launcher may kill the supervisor.
struct RunSummary {
    int version = 1;
    std::string name{};
    RunOutcome state = RunOutcome::kFailed;
    int exitCode = 0;
    std::optional<int> firstFailedRank{};
    std::string verdict{};
    std::vector<std::string> lastLines{};  // last lines of the output of the failed rank
    std::int64_t worldSize = 0;
    std::int64_t steps = 0;
    std::int64_t plannedSteps = 0;
    std::int64_t stepsBefore = 0;  // number of steps done by the earlier run from which this run resumed; 0 if it did
                                   // not resume
    std::int64_t nonFiniteBatches = 0;
    double trainSeconds = 0;
    double pausedSeconds = 0;
    double stepsPerSecond = 0;
    double samplesPerSecond = 0;
    std::optional<double> firstStepSeconds{};  // seconds from the start to the end of the first step
    double totalSeconds = 0;
    FinalMetrics last{};  // final metrics; the field is named "final" in the file
    BestMetrics best{};
    std::string device{};
    std::string whyDevice{};
    // Environment variable that limits the instruction set of the CPU and thereby changes the last bits of the results,
    // such as "ONEDNN_MAX_CPU_ISA=AVX2"; empty if none is set.
    std::optional<std::string> cpuSetting{};
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
    Json normalize{};  // image normalization that the final weights expect, copied from the manifest
    std::int64_t restarts = 0;
    std::optional<std::string> weightsSha256{};
    std::optional<std::vector<RankMemory>> memory{};          // memory of each rank, in bytes
    std::optional<SummaryThrottle> throttle{};                // throttle of the ranks; empty if they were not throttled
    std::optional<std::vector<std::int64_t>> bytesPerStep{};  // payload sent in each step in bytes, by rank
    // Share of time (0 to 1) in which the average rank waits for other pipeline stages; see measuredIdleShare().
    std::optional<double> idleShare{};
    std::vector<SummaryClock> clocks{};  // clocks of all hosts except rank 0's
    std::optional<std::vector<SummaryHostLink>> links{};
    std::int64_t droppedTelemetrySteps = 0;  // number of steps whose telemetry ranks could not send, over all ranks
    // Number of telemetry events other than steps that ranks could not send, over all ranks.
    std::int64_t droppedTelemetryEvents = 0;
    Recording recording{};
    std::string source{"trained"};  // origin of the run: trained, watched or imported
    // The following members are set in watched runs only.
    std::optional<SummaryFramework> framework{};
    std::optional<std::string> continues{};  // run directory that this run continues
    std::vector<SummaryFinding> findings{};
    std::vector<SummaryCheck> checks{};
    std::optional<SummarySamples> samples{};
};

Json toJson(const RunSummary& summary);

// Reads a summary. Fields that are missing or of another type keep their defaults, so that summaries of older versions
// can be read. Returns a problem if the file is missing, larger than 16 MiB or not a JSON object.
Result<RunSummary> readRunSummary(const std::filesystem::path& file);

}  // namespace ringside
