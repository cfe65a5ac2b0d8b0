// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "telemetry/data/run_data.h"

namespace ringside {

// "All 4 replicas identical after step 24." or which are not, since when and in which tensor.
QString replicasSentence(const RunData& run);

// Which rank's gradient pointed farthest from the mean, and with which samples.
QString pullSentence(const RunData& run, const LookedAtStep& step);

// Why nothing can be looked at in this run; empty: it can.
QString whyNoReplicas(const RunData& run);

}  // namespace ringside
