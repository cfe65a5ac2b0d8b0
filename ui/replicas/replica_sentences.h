// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "config/mesh.h"
#include "config/run_config.h"
#include "replicas/step_contributions.h"
#include "telemetry/data/run_data.h"

namespace ringside {

// Returns a sentence such as "All 4 replicas are identical after step 24: ...". If a replica differs, the sentence
// names the rank, the step since which it differs, and the first tensor that differs. Empty if the run has one rank, or
// if no rank differs and each stage of a pipeline exists once. mesh: mesh of the run's ranks.
QString replicasSentence(const RunData& run, const Mesh& mesh);

// Returns a sentence with the rank whose gradient was farthest from the mean gradient, and the samples of this rank.
QString contributionSentence(const StepContributions& contributions);

// Returns the text for a step whose gradients were not recorded: the rank with the highest loss, and how to record
// gradients. live: true if the run has not ended.
QString notInspectedSentence(const StepContributions& contributions, bool live);

// If the run is paused between two phases of a step, returns a sentence such as "Paused after backward: every rank has
// its local gradient."; empty otherwise.
QString pausedSentence(const RunData& run);

// Returns the reason why this run has only one copy of the model, and so no replicas to compare; empty if there are
// replicas. config: experiment of the run.
QString reasonForSingleModel(const RunData& run, const RunConfig& config);

// Returns the reason why the gradients of this run cannot be inspected; empty if they can be inspected. config:
// experiment of the run.
QString reasonForNoReplicas(const RunData& run, const RunConfig& config);

}  // namespace ringside
