// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "base/json/json.h"
#include "schedule/schedule.h"
#include "support/places.h"

namespace ringside::testing {

// Returns 104 action tables of PyTorch 2.15's schedule classes, recorded once. Each has the makespan, the busy time and
// end of its ranks, and the largest number of activations that they hold, where F, I and W take time 1 and B takes 2.
// (PyTorch numbers the micro-batches of the last rank of 1F1B from 1 to M; the record has 0 to M - 1, as PyTorch runs
// them.)
inline const Json& scheduleGoldens() {
    static const Json json =
        readJsonFile(sourceFile("tests/schedule/goldens_schedules_torch_2_15.json")).value()["cases"];
    return json;
}

inline std::string rowsOf(const Json& golden) {
    std::string text;
    for (const auto& row : golden["rows"]) text += row.get<std::string>() + "\n";
    return text;
}

inline std::string titleOf(const Json& golden) {
    return golden["schedule"].get<std::string>() + " P=" + golden["P"].dump() + " M=" + golden["M"].dump() +
           " V=" + golden["V"].dump();
}

}  // namespace ringside::testing
