// SPDX-License-Identifier: Apache-2.0
#include "run/record/trace_record.h"

#include <algorithm>
#include <fstream>

#include "run/read/read_traces.h"
#include "run/read/trace_follower.h"
#include "support/catch.h"
#include "support/temporary_directory.h"
#include "telemetry/events/codec.h"

using namespace ringside;

namespace {

std::string traceLine(int rank, std::int64_t step) {
    StepTrace trace;
    trace.rank = rank;
    trace.step = step;
    trace.lengthNs = 10;
    trace.phase = trace.at = trace.cpu = {0};
    std::string line = encode(trace);
    line.pop_back();
    return line;
}

std::string all(TraceFollower& follower) {
    std::string text;
    while (follower.advance([&](std::string_view lines) { text += lines; })) continue;
    return text;
}

std::size_t lineCount(const std::string& text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

TEST_CASE("the last two thousand traced steps of each rank are kept in two files") {
    const TemporaryDirectory scratch;
    const RunPaths paths(scratch.path());
    TraceRecord record(paths, 2, 32'000'000);
    for (std::int64_t step = 1; step <= 5000; ++step)
        for (int rank = 0; rank < 2; ++rank) record.add(traceLine(rank, step));
    record.flush();
    TraceFollower follower(paths);
    const std::string kept = all(follower);
    CHECK(lineCount(kept) == 2 * 3000);  // steps 2001 to 5000
    CHECK(kept.find("\"step\":2001,") != std::string::npos);
    CHECK(kept.find("\"step\":2000,") == std::string::npos);
}

TEST_CASE("the trace files never exceed their size limit") {
    const TemporaryDirectory scratch;
    const RunPaths paths(scratch.path());
    TraceRecord record(paths, 1, 10'000);
    for (std::int64_t step = 1; step <= 1000; ++step) record.add(traceLine(0, step));
    record.flush();
    CHECK(std::filesystem::file_size(paths.trace()) <= 10'000);
    CHECK(std::filesystem::file_size(paths.olderTrace()) <= 10'000);
    CHECK(TraceRecord::maxBytesWithin(4) == 209'715);
    CHECK(TraceRecord::maxBytesWithin(2000) == 33'554'432);
}

TEST_CASE("a reader of traces misses none when the files are rotated") {
    const TemporaryDirectory scratch;
    const RunPaths paths(scratch.path());
    TraceRecord record(paths, 1, 2'000);
    TraceFollower follower(paths);
    CHECK(all(follower).empty());
    std::string got;
    for (std::int64_t step = 1; step <= 60; ++step) {
        record.add(traceLine(0, step));
        record.flush();
        got += all(follower);
    }
    CHECK(lineCount(got) == 60);
}

TEST_CASE("damaged traces are skipped and counted") {
    const TemporaryDirectory scratch;
    const RunPaths paths(scratch.path());
    std::ofstream(paths.config()) << RunConfig().toText();
    CHECK(readTraces(paths).problem().text().find("contains no traced steps") != std::string::npos);
    std::ofstream(paths.trace()) << traceLine(0, 1) << "\n{\"kind\":\"trace\",\"rank\":0}\nnonsense\n"
                                 << traceLine(4000, 1) << "\n"
                                 << traceLine(1, 1) << "\n{\"kind\":";
    const Result<RecordedTraces> read = readTraces(paths);
    REQUIRE(read.ok());
    CHECK(read.value().lines == 2);
    CHECK(read.value().badLines == 3);
}

TEST_CASE("traces of a run directory include its pauses between steps") {
    const TemporaryDirectory scratch;
    const RunPaths paths(scratch.path());
    std::ofstream(paths.config()) << RunConfig().toText();
    std::ofstream(paths.trace()) << traceLine(0, 1) << "\n" << traceLine(0, 2) << "\n" << traceLine(0, 3) << "\n";
    std::ofstream(paths.telemetry())
        << R"({"kind":"control","command":"pause","value":0,"step":1,"epoch":0,"after":"optimizer","time_us":5})"
        << "\n";
    const Result<RecordedTraces> read = readTraces(paths);
    REQUIRE(read.ok());
    CHECK(read.value().data.isAfterPause(2));
    CHECK_FALSE(read.value().data.isAfterPause(3));
}
