// SPDX-License-Identifier: Apache-2.0
#include "export/chrome_trace.h"

#include "base/json/json.h"
#include "support/catch.h"

using namespace ringside;

TEST_CASE("a trace for Perfetto has a process per rank with its phases, collectives and the rank that was late") {
    TraceData data(2);
    for (int rank = 0; rank < 2; ++rank) {
        StepTrace trace;
        trace.rank = rank;
        trace.step = 7;
        trace.epoch = 1;
        trace.beginNs = 5'000'000;
        trace.lengthNs = 9'000;
        trace.cpuNs = 4'000;
        trace.phase = {static_cast<std::int64_t>(Phase::kForward), static_cast<std::int64_t>(Phase::kMoving)};
        trace.at = {0, 6'000};
        trace.cpu = {0, 2'500};
        trace.group = {0};
        trace.collective = {3};
        trace.kind = {0};
        trace.bytes = {512};
        trace.ready = trace.arrived = {rank == 0 ? 4'000 : 6'000};
        trace.last = {6'000};
        trace.ended = {9'000};
        data.apply(trace);
    }
    const Json json = Json::parse(chromeTrace(data, "a \"run\""));
    CHECK(json["otherData"]["run"] == "a \"run\"");
    int names = 0, phases = 0, collectives = 0, starts = 0, ends = 0;
    for (const Json& event : json["traceEvents"]) {
        const std::string kind = event["ph"];
        if (kind == "M") ++names;
        if (kind == "X" && event["cat"] == "phase") ++phases;
        if (kind == "X" && event["cat"] == "collective") {
            ++collectives;
            CHECK(event["args"]["last_rank"] == 1);
            CHECK(event["args"]["waited_us"] == (event["pid"] == 0 ? 2.0 : 0.0));
        }
        if (kind == "s") {
            ++starts;
            CHECK(event["pid"] == 1);
            CHECK(event["ts"] == 5006.0);
        }
        if (kind == "f") {
            ++ends;
            CHECK(event["pid"] == 0);
        }
        if (kind == "X" && event["name"] == "forward") {
            CHECK(event["ts"] == 5000.0);
            CHECK(event["dur"] == 6.0);
            CHECK(event["args"]["cpu_us"] == 2.5);
            CHECK(event["args"]["step"] == 7);
        }
    }
    CHECK(names == 6);
    CHECK(phases == 4);
    CHECK(collectives == 2);
    CHECK(starts == 1);
    CHECK(ends == 1);
}

TEST_CASE("each event of a trace has its time, place and arguments") {
    TraceData data(2);
    for (int rank = 0; rank < 2; ++rank) {
        StepTrace trace;
        trace.rank = rank;
        trace.step = 7;
        trace.epoch = 1;
        trace.beginNs = 5'000'000;
        trace.lengthNs = 9'000;
        trace.cpuNs = 4'000;
        trace.phase = {static_cast<std::int64_t>(Phase::kForward), static_cast<std::int64_t>(Phase::kIdle),
                       static_cast<std::int64_t>(Phase::kMoving)};
        trace.at = {0, 5'000, 6'000};
        trace.cpu = {0, 2'000, 2'500};
        trace.layer = {0, -1, -1};
        trace.group = {0, 0};
        trace.collective = {3, 4};
        trace.kind = {1, 5};
        trace.bytes = {512, 64};
        trace.ready = trace.arrived =
            rank == 0 ? std::vector<std::int64_t>{4'000, 8'000} : std::vector<std::int64_t>{6'000, 7'000};
        trace.last = {6'000, 8'000};
        trace.ended = {9'000, 8'500};
        REQUIRE(data.apply(trace));
    }
    const Json expected = Json::parse(R"([
        {"ph": "M", "pid": 0, "tid": 0, "ts": 0, "name": "process_name", "args": {"name": "rank 0"}},
        {"ph": "M", "pid": 0, "tid": 0, "ts": 0, "name": "thread_name", "args": {"name": "training"}},
        {"ph": "M", "pid": 0, "tid": 1, "ts": 0, "name": "thread_name", "args": {"name": "collectives"}},
        {"ph": "M", "pid": 1, "tid": 0, "ts": 0, "name": "process_name", "args": {"name": "rank 1"}},
        {"ph": "M", "pid": 1, "tid": 0, "ts": 0, "name": "thread_name", "args": {"name": "training"}},
        {"ph": "M", "pid": 1, "tid": 1, "ts": 0, "name": "thread_name", "args": {"name": "collectives"}},
        {"ph": "X", "pid": 0, "tid": 0, "ts": 5000, "name": "forward", "cat": "phase", "dur": 5,
         "args": {"step": 7, "epoch": 1, "cpu_us": 2, "layer": 0}},
        {"ph": "X", "pid": 0, "tid": 0, "ts": 5006, "name": "moving", "cat": "phase", "dur": 3,
         "args": {"step": 7, "epoch": 1, "cpu_us": 1.5}},
        {"ph": "X", "pid": 0, "tid": 1, "ts": 5004, "name": "broadcast", "cat": "collective", "dur": 5,
         "args": {"step": 7, "number": 3, "bytes": 512, "bucket": 0, "last_rank": 1, "waited_us": 2}},
        {"ph": "s", "pid": 1, "tid": 1, "ts": 5006, "name": "last rank to arrive", "cat": "arrival", "id": 1},
        {"ph": "f", "pid": 0, "tid": 1, "ts": 5006, "name": "last rank to arrive", "cat": "arrival", "id": 1, "bp": "e"},
        {"ph": "X", "pid": 0, "tid": 1, "ts": 5008, "name": "collective", "cat": "collective", "dur": 0.5,
         "args": {"step": 7, "number": 4, "bytes": 64, "bucket": 1, "last_rank": 0, "waited_us": 0}},
        {"ph": "X", "pid": 1, "tid": 0, "ts": 5000, "name": "forward", "cat": "phase", "dur": 5,
         "args": {"step": 7, "epoch": 1, "cpu_us": 2, "layer": 0}},
        {"ph": "X", "pid": 1, "tid": 0, "ts": 5006, "name": "moving", "cat": "phase", "dur": 3,
         "args": {"step": 7, "epoch": 1, "cpu_us": 1.5}},
        {"ph": "X", "pid": 1, "tid": 1, "ts": 5006, "name": "broadcast", "cat": "collective", "dur": 3,
         "args": {"step": 7, "number": 3, "bytes": 512, "bucket": 0, "last_rank": 1, "waited_us": 0}},
        {"ph": "X", "pid": 1, "tid": 1, "ts": 5007, "name": "collective", "cat": "collective", "dur": 1.5,
         "args": {"step": 7, "number": 4, "bytes": 64, "bucket": 1, "last_rank": 0, "waited_us": 1}},
        {"ph": "s", "pid": 0, "tid": 1, "ts": 5008, "name": "last rank to arrive", "cat": "arrival", "id": 2},
        {"ph": "f", "pid": 1, "tid": 1, "ts": 5008, "name": "last rank to arrive", "cat": "arrival", "id": 2, "bp": "e"}])");
    const Json events = Json::parse(chromeTrace(data, "run"))["traceEvents"];
    REQUIRE(events.size() == expected.size());
    for (std::size_t i = 0; i < events.size(); ++i) {
        CAPTURE(i, events[i].dump());
        CHECK(events[i] == expected[i]);
    }
}

TEST_CASE("the last span of an unfinished step has no end, and ranks are named once") {
    TraceData data(2);
    for (const std::int64_t step : {8, 9})
        for (int rank = 0; rank < 2; ++rank) {
            StepTrace trace;
            trace.rank = rank;
            trace.step = step;
            trace.beginNs = step * 1'000'000;
            trace.lengthNs = -1;
            trace.phase = {static_cast<std::int64_t>(Phase::kForward),
                           static_cast<std::int64_t>(rank == 0 ? Phase::kIdle : Phase::kBackward)};
            trace.at = {0, 2'000};
            trace.cpu = {0, 0};
            REQUIRE(data.apply(trace));
        }
    const Json events = Json::parse(chromeTrace(data, "run"))["traceEvents"];
    REQUIRE(events.size() == 6 + 2 * 4);
    CHECK(events[6]["ph"] == "X");
    CHECK(events[6]["dur"] == 2);
    CHECK(events[7] == Json::parse(R"({"ph": "B", "pid": 0, "tid": 0, "ts": 8002, "name": "no report", "cat": "open",
                                       "args": {"step": 8}})"));
    CHECK(events[9]["name"] == "backward");
    CHECK(events[9]["ph"] == "B");
    CHECK(events[13]["ts"] == 9002);
}
