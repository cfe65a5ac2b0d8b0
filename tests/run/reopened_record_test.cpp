// SPDX-License-Identifier: Apache-2.0
#include "run/record/reopened_record.h"

#include <fstream>

#include "support/catch.h"
#include "support/temporary_directory.h"
#include "telemetry/data/run_data.h"
#include "telemetry/events/codec.h"

using namespace ringside;

TEST_CASE("in a resumed directory, failed or stopped ranks are recorded as starting again") {
    const TemporaryDirectory scratch;
    const RunPaths paths(scratch.path());
    RunStarted started;
    started.worldSize = 3;
    std::ofstream(paths.telemetry()) << encode(started) << encode(RankState{0, "failed", "", 0, 7, 1})
                                     << encode(RankState{1, "stopped", "", 0, 8})
                                     << encode(RankState{2, "training", "", 0, 9}) << encode(RunEnded{});
    CHECK(cutRecord(paths, {}) == 9);
    RunData run;
    std::ifstream in(paths.telemetry());
    for (std::string line; std::getline(in, line);) run.apply(decodeLine(line).value());
    REQUIRE(run.ranks().size() == 3);
    CHECK(run.ranks()[0].state == "starting again");
    CHECK(run.ranks()[1].state == "starting again");
    CHECK(run.ranks()[2].state == "training");
    CHECK_FALSE(run.ended());
}
