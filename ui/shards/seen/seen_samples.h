// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <optional>

#include "run/read/run_summary.h"
#include "watch/plan/seen_plan.h"

namespace ringside {

// Samples that the ranks of a watched PyTorch script have used.
struct SeenSamples {
    std::optional<SummarySamples> audit;  // how often each sample was used, by data loader and epoch
    QString problem;                      // reason why `audit` is empty

    // Plan of PyTorch's sampler, if it is known and the first batch of each rank has confirmed it.
    std::optional<SeenPlan> plan;
    std::int64_t loader = 0;        // number of the data loader of the training samples
    QString whyNoPlan;              // reason why there is no plan; empty if there is one
    std::int64_t asPlanned = 0;     // number of trained samples in batches that match the plan
    std::int64_t notAsPlanned = 0;  // number of trained samples in batches that differ from the plan
    QString firstOther;  // first batch that differs from the plan, such as "rank 2, epoch 1, step 5"; empty if
                         // all batches match
};

// Reads the samples of a run from its directory. isOver: true if the run has ended; the audit is then read from the
// run's summary. Blocks on the disk. Returns early with a partial result after *stop is set.
SeenSamples readSeenSamples(const std::filesystem::path& run, bool isOver, const std::atomic<bool>& stop);

// Reads the plan and compares the trained samples with it. Does not read the audit (how often each sample was used).
SeenSamples readPlannedSamples(const std::filesystem::path& run, const std::atomic<bool>& stop);

// Returns the sampler and its settings in PyTorch's words: "DistributedSampler (seed 0, shuffled)".
QString planName(const SeenPlan& plan);

// Returns a sentence about the comparison with the plan, or why there is none.
QString planSentence(const SeenSamples& samples);

}  // namespace ringside
