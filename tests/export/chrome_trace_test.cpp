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
