// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "config/run_config.h"
#include "replicas/step_contributions.h"
#include "telemetry/data/run_data.h"

namespace ringside {

// Returns "All 4 replicas identical after step 24.", or which rank differs, since which step and in which tensor.
QString replicasSentence(const RunData& run);

// Returns which rank's gradient was farthest from the mean, and its samples.
QString contributionSentence(const StepContributions& contributions);

// Returns the text for a step whose gradients were not recorded: the rank with the highest loss, and how to record
// gradients. live: true if the run is live.
QString notInspectedSentence(const StepContributions& contributions, bool live);

// Returns the results that the ranks have computed in the current step if the run is paused between two phases of the
// step; empty otherwise.
QString pausedSentence(const RunData& run);

// Returns why the ranks of this run hold one model together, so that there are no replicas; empty if there are
// replicas. config: experiment of the run.
QString reasonForSingleModel(const RunData& run, const RunConfig& config);

// Returns the reason why the gradients of this run cannot be inspected; empty if they can be inspected. config:
// experiment of the run.
QString reasonForNoReplicas(const RunData& run, const RunConfig& config);

}  // namespace ringside
