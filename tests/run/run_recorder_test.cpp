// SPDX-License-Identifier: Apache-2.0
#include "run/record/run_recorder.h"

#include <algorithm>
#include <string>

#include "base/system/files.h"
#include "support/catch.h"
#include "support/size_limit.h"
#include "support/temporary_directory.h"
#include "telemetry/data/dropped_text.h"

using namespace ringside;

namespace {

// Record of a watched script with two ranks. Its configuration is not known.
struct RecordedScript {
    TemporaryDirectory directory;
    RunPaths paths{directory.path()};
    RunRecorder recorder{paths, {.name = "script", .worldSize = 2}};

    RecordedScript() { recorder.add(runLine(paths, {.name = "script", .worldSize = 2}, 1'700'000'000'000)); }
    Heartbeat beat(int rank, std::int64_t steps, std::int64_t events) {
        Heartbeat one;
        one.rank = rank;
        one.droppedSteps = steps;
        one.droppedEvents = events;
        return one;
    }
    RunSummary finish() {
        recorder.finish({});
        return readRunSummary(paths.summary()).value();
    }
};

std::ptrdiff_t warningsIn(const RunData& data) {
    return std::ranges::count(data.log(), LogLevel::kWarning, &LogLine::level);
}

}  // namespace

TEST_CASE("a run without a configuration and without a plan is recorded") {
    RecordedScript run;
    run.recorder.record(Consumed{0, 0, 360, "ab"}, R"({"kind":"consumed"})");
    const RunSummary summary = run.finish();
    CHECK(summary.name == "script");
    CHECK(summary.worldSize == 2);
    CHECK_FALSE(summary.planVerified);
    CHECK(summary.planAuditedEpochs == 0);
    CHECK(summary.planHashes.empty());
    CHECK(summary.bitsDependOn->layout == std::nullopt);
    CHECK(summary.droppedTelemetryEvents == 0);
    CHECK(warningsIn(run.recorder.data()) == 0);
}

TEST_CASE("telemetry that ranks could not send is counted in the summary, and the log warns once") {
    RecordedScript run;
    run.recorder.add(run.beat(0, 0, 0));
    CHECK(warningsIn(run.recorder.data()) == 0);
    run.recorder.add(run.beat(1, 0, 2));
    run.recorder.add(run.beat(0, 1200, 1));
    run.recorder.add(run.beat(1, 0, 3));
    CHECK(warningsIn(run.recorder.data()) == 1);
    CHECK(run.recorder.data().log().back().text ==
          "rank 1 could not send 2 events of its telemetry in time: curves, traces and checks have gaps, "
          "training is not affected");
    const RunSummary summary = run.finish();
    CHECK(summary.droppedTelemetrySteps == 1200);
    CHECK(summary.droppedTelemetryEvents == 4);
    CHECK(toJson(summary)["dropped_telemetry_events"] == 4);
}

TEST_CASE("a record that cannot be written ends after the last written step, not after the last reported one") {
    RecordedScript run;
    const auto addSteps = [&run](std::int64_t first, std::int64_t count) {
        StepsFrame frame;
        for (std::int64_t step = first; step < first + count; ++step) {
            frame.step.push_back(step);
            frame.loss.push_back(1.0 / static_cast<double>(step));
            frame.samples.push_back(8);
            frame.endUs.push_back(step * 1000);
        }
        for (frame.rank = 0; frame.rank < 2; ++frame.rank) run.recorder.add(frame);
    };
    addSteps(1, 10);
    run.recorder.flush();
    CHECK_FALSE(run.recorder.fullDisk());
    {
        const SizeLimit disk(std::filesystem::file_size(run.paths.telemetry()));
        addSteps(11, 400);
        run.recorder.flush();
    }
    REQUIRE(run.recorder.fullDisk());
    CHECK(run.recorder.fullDisk()->step == 10);
}

TEST_CASE("dropped telemetry as text") {
    CHECK(droppedText(0, 0).empty());
    CHECK(droppedText(1, 0) == "1 step");
    CHECK(droppedText(1200, 1) == "1,200 steps and 1 other event");
    CHECK(droppedText(0, 2) == "2 events");
}
