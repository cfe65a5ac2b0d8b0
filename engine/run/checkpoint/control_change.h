// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace ringside {

// What a live run was told that changed its training (ControlCommand): a run that goes on from a checkpoint does the
// same at the same step.
struct ControlChange {
    std::string kind;  // lr | epochs
    double value = 0;
    std::int64_t step = 0;   // steps done before it
    std::int64_t epoch = 0;  // the one under way
    bool operator==(const ControlChange&) const = default;
};

}  // namespace ringside
