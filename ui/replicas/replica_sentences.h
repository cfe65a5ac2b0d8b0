// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "config/run_config.h"
#include "replicas/step_pulls.h"
#include "telemetry/data/run_data.h"

namespace ringside {

// "All 4 replicas identical after step 24." or which are not, since when and in which tensor.
QString replicasSentence(const RunData& run);

// Which rank's gradient pointed farthest from the mean, and with which samples.
QString pullSentence(const StepPulls& pulls);

// Of a step whose gradients were not looked at: what is known of it, and how one gets the rest.
QString notLookedAtSentence(const StepPulls& pulls, bool live);

// In single phases: what the step under way has come to; empty while it is not held within a step.
QString heldSentence(const RunData& run);

// Why nothing can be looked at in this run; empty: it can. config: of the run.
QString whyNoReplicas(const RunData& run, const RunConfig& config);

}  // namespace ringside
