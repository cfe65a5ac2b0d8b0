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
    std::ofstream(paths.telemetry()) << encode(started) << encode(RankState{0, RankStage::kFailed, "", 0, 7, 1})
                                     << encode(RankState{1, RankStage::kStopped, "", 0, 8})
                                     << encode(RankState{2, RankStage::kTraining, "", 0, 9}) << encode(RunEnded{});
    CHECK(truncateRecord(paths, {}) == 9);
    RunData run;
    std::ifstream in(paths.telemetry());
    for (std::string line; std::getline(in, line);) run.apply(decodeLine(line).value());
    REQUIRE(run.ranks().size() == 3);
    CHECK(run.ranks()[0].state == RankStage::kStartingAgain);
    CHECK(run.ranks()[1].state == RankStage::kStartingAgain);
    CHECK(run.ranks()[2].state == RankStage::kTraining);
    CHECK_FALSE(run.ended());
}
