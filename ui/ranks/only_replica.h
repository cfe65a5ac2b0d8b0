// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>

#include "telemetry/data/run_data.h"

namespace ringside {

// Returns one text per rank, such as "only replica of stage 2", if the run has a single copy of its model, so that the
// parameters of a rank cannot be compared with those of another rank. Returns an empty list if the run has replicas, or
// if its experiment is unknown.
QStringList onlyReplicaTexts(const RunData& run);

}  // namespace ringside
