// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "telemetry/data/replica_data.h"

namespace ringside {

// Returns the latest step with gradient values (cells); null if there is none.
inline const InspectedStep* latestWithCells(const ReplicaData& replicas) {
    for (auto step = replicas.steps().rbegin(); step != replicas.steps().rend(); ++step)
        if (step->second.hasCells()) return &step->second;
    return nullptr;
}

}  // namespace ringside
