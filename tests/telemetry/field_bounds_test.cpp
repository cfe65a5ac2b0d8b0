// SPDX-License-Identifier: Apache-2.0
// Tests of the limits of each number in a telemetry line (limits.h and the documentation of the format), of columns
// that belong together, and of fields that a line contains only if they have a value.
#include <algorithm>
#include <string>
#include <vector>

#include "base/json/json.h"
#include "support/catch.h"
#include "telemetry/events/codec.h"

using namespace ringside;

namespace {

constexpr std::int64_t kCount = std::int64_t{1} << 53;  // largest count
constexpr std::int64_t kRanks = 4095;                   // largest rank

struct Field {
    const char* key;
    std::int64_t least = 0;
    std::int64_t most = kCount;
};

bool accepts(const Json& line) {
    const Result<Event> event = decodeLine(line.dump());
    // The fast and the general parser must agree on a line that the encoder writes.
    if (event) CHECK(encode(decodeLine(encode(event.value())).value()) == encode(event.value()));
    return event.ok();
}

bool accepts(const std::string& line) {
    return accepts(Json::parse(line));
}

// Checks that each field of this line accepts its limits and refuses the numbers next to them. A column has one entry.
void checkLimits(const std::string& text, const std::vector<Field>& fields) {
    const Json line = Json::parse(text);
    CAPTURE(text);
    REQUIRE(accepts(line));
    for (const Field& field : fields) {
        CAPTURE(field.key);
        const bool isColumn = line.contains(field.key) && line[field.key].is_array();
        const auto with = [&](std::int64_t value) {
            Json changed = line;
            if (isColumn)
                changed[field.key] = Json::array({value});
            else
                changed[field.key] = value;
            return accepts(changed);
        };
        CHECK(with(field.least));
        CHECK(with(field.most));
        CHECK_FALSE(with(field.least - 1));
        CHECK_FALSE(with(field.most + 1));
    }
}

// Checks that a line requires these keys and no others.
void checkNeeded(const std::string& text, const std::vector<std::string>& needed) {
    const Json line = Json::parse(text);
    for (const auto& [key, value] : line.items()) {
        if (key == "kind") continue;
        CAPTURE(key);
        Json changed = line;
        changed.erase(key);
        CHECK(accepts(changed) == (std::find(needed.begin(), needed.end(), key) == needed.end()));
    }
}

constexpr Field kRank{"rank", 0, kRanks};
constexpr Field kTime{"time_us", -kCount, kCount};

const char* const kOneStep =
    R"({"kind":"steps","rank":0,"epoch":1,"lr":0.1,"step":[9],"loss":[1],"correct":[3],"samples":[4],"end_us":[5],)"
    R"("gradient_norm":[1],"data_us":[1],"traced":[9],"forward_ns":[1],"idle_ns":[1]})";
const char* const kWindow =
    R"({"kind":"steps","rank":0,"epoch":1,"lr":0.1,"step":[9],"loss":[1],"samples":[4],"end_us":[5],"from":[1],)"
    R"("count":[2],"loss_min":[1],"loss_max":[1]})";
const char* const kTrace =
    R"({"kind":"trace","rank":0,"epoch":1,"step":3,"begin_ns":0,"length_ns":9007199254740992,"cpu_ns":1,)"
    R"("queued_ns":1,"planned_compute":0.5,"planned_update":0.5,"phase":[1],"at_ns":[0],"used_ns":[0],"layer":[1],)"
    R"("group":[0],"collective":[1],"of_kind":[1],"bytes":[1],"ready_ns":[1],"arrived_ns":[1],"last_ns":[1],)"
    R"("ended_ns":[1],"message":[0],"message_peer":[1],"message_bytes":[1],"message_sent":[1],"message_at_ns":[1],)"
    R"("message_ended_ns":[1]})";

}  // namespace

TEST_CASE("numbers of the lines of a run have limits") {
    checkLimits(R"({"kind":"run","world_size":1})", {{"version", 1, 1'000'000},
                                                     {"world_size", 1, 4096},
                                                     {"training_samples"},
                                                     {"validation_samples"},
                                                     {"steps_per_epoch", 0, std::int64_t{1} << 31},
                                                     {"epochs", 0, std::int64_t{1} << 31},
                                                     {"batch_size"},
                                                     {"steps_before"},
                                                     {"started_unix_ms", -kCount, kCount}});
    checkLimits(R"({"kind":"epoch","epoch":0,"split":"val"})",
                {{"epoch"}, {"samples"}, {"samples_padded"}, {"step"}, {"non_finite_batches"}, kTime});
    checkLimits(R"({"kind":"end","state":"failed"})",
                {{"exit_code", 0, 255}, {"first_failed_rank", -1, kRanks}, {"steps"}, kTime, {"plan_audited_epochs"}});
    checkLimits(R"({"kind":"log","rank":0,"text":"t"})", {{"rank", -1, kRanks}, kTime});
    checkLimits(R"({"kind":"checkpoint","path":"p"})", {{"step"}, kTime});
    checkLimits(R"({"kind":"logged","rank":0,"tag":"t"})", {kRank, {"step"}, kTime});
    checkLimits(R"({"kind":"script","rank":0,"about":"a","facts":{}})", {kRank, kTime});
    checkLimits(R"({"kind":"finding","code":"c","severity":"cost","text":"t"})", {kTime});
}

TEST_CASE("numbers of the lines of a rank have limits") {
    checkLimits(R"({"kind":"rank","rank":0,"state":"training"})",
                {kRank, {"pid"}, {"missing_rank", -1, kRanks}, kTime});
    checkLimits(R"({"kind":"heartbeat","rank":0,"gpu_percent":50})", {kRank,
                                                                      {"step"},
                                                                      {"epoch"},
                                                                      {"collective"},
                                                                      {"resident_bytes"},
                                                                      {"dropped_steps"},
                                                                      {"dropped_events"},
                                                                      {"batches"},
                                                                      kTime,
                                                                      {"still_us"},
                                                                      {"gpu_used_bytes", -1, kCount},
                                                                      {"gpu_total_bytes", -1, kCount}});
    checkLimits(R"({"kind":"consumed","rank":0,"epoch":0,"sha256":"ab"})", {kRank, {"epoch"}, {"count"}});
    constexpr std::int64_t kBatch = std::int64_t{1} << 31;
    checkLimits(R"({"kind":"indices","rank":0,"epoch":0,"slot":0,"index":[0]})",
                {kRank, {"epoch"}, {"step"}, {"slot", 0, kBatch}, {"index", 0, kBatch}, {"loader"}});
    checkLimits(R"({"kind":"replica","rank":0,"step":0,"hash":"h","names":["w"],"checksums":[1]})",
                {kRank, {"step"}, {"checksums"}});
    checkLimits(R"({"kind":"phase","rank":0})", {kRank, {"step"}, kTime, {"layer", -1, 1 << 20}});
    checkLimits(R"({"kind":"local","rank":0,"epoch":0})", {kRank, {"epoch"}, {"samples"}, {"step"}});
    checkLimits(R"({"kind":"pace","rank":0})", {kRank, {"step"}});
    checkLimits(R"({"kind":"memory","rank":0})", {kRank,
                                                  {"parameters"},
                                                  {"gradients"},
                                                  {"optimizer"},
                                                  {"activations"},
                                                  {"gathered"},
                                                  {"buffers"},
                                                  {"peak"},
                                                  {"predicted_peak", -1, kCount}});
    checkLimits(R"({"kind":"traffic","rank":0,"bytes":0})", {kRank, {"step"}, {"bytes"}});
    constexpr std::int64_t kOffset = std::int64_t{1} << 61;
    checkLimits(R"({"kind":"clock","rank":0,"offset_us":0,"error_us":0,"round_trip_us":0})",
                {kRank,
                 {"offset_us", -kOffset, kOffset},
                 {"moved_us", -kOffset, kOffset},
                 {"error_us"},
                 {"round_trip_us"},
                 kTime});
    checkLimits(
        R"({"kind":"links","rank":0,"peer":[1],"round_trip_us":[1],"bytes":[1],"busy_us":[1],"wait_us":[1],"length_us":1})",
        {kRank,
         {"peer", 0, kRanks},
         {"round_trip_us"},
         {"bytes"},
         {"busy_us"},
         {"wait_us"},
         {"length_us", 1, kCount},
         kTime});
    checkLimits(R"({"kind":"gradients","rank":0,"step":1,"moment":"change","names":["w"],"checksums":[1]})",
                {kRank, {"epoch"}, {"step", 1, kCount}, {"checksums"}, kTime});
}

TEST_CASE("numbers of steps and traces have limits") {
    checkLimits(kOneStep, {kRank,
                           {"epoch"},
                           {"step", 1, kCount},
                           {"samples", 0, std::int64_t{1} << 40},
                           {"correct", 0, std::int64_t{1} << 40},
                           {"end_us", -kCount, kCount},
                           {"data_us"},
                           {"traced", 1, kCount},
                           {"forward_ns"},
                           {"idle_ns"}});
    // A window of the steps 1 to 9 contains at most 9 logged steps.
    checkLimits(kWindow, {{"from", 1, 8}, {"count", 1, 9}});
    checkLimits(kTrace, {kRank,
                         {"epoch"},
                         {"step", 1, kCount},
                         {"begin_ns", -kCount, kCount},
                         {"length_ns", -1, kCount},
                         {"cpu_ns"},
                         {"queued_ns", -1, kCount},
                         {"phase", 0, 11},
                         {"at_ns"},
                         {"used_ns"},
                         {"layer", -1, 65'536},
                         {"group"},
                         {"collective", 1, kCount},
                         {"of_kind", 0, 255},
                         {"bytes"},
                         {"ready_ns", -kCount, kCount},
                         {"arrived_ns", -kCount, kCount},
                         {"last_ns", -1, kCount},
                         {"ended_ns", -kCount, kCount},
                         {"message"},
                         {"message_peer", 0, kRanks},
                         {"message_bytes"},
                         {"message_sent", 0, 1},
                         {"message_at_ns", -kCount, kCount},
                         {"message_ended_ns", -kCount, kCount}});
}

TEST_CASE("a line needs only the fields without which it means nothing") {
    checkNeeded(R"({"kind":"run","version":1,"name":"n","world_size":1,"epochs":2,"config":{}})", {"world_size"});
    checkNeeded(R"({"kind":"epoch","epoch":0,"split":"val","loss":1})", {"epoch", "split"});
    checkNeeded(R"({"kind":"rank","rank":0,"state":"training","pid":7})", {"rank", "state"});
    checkNeeded(R"({"kind":"consumed","rank":0,"epoch":0,"count":1,"sha256":"ab"})", {"rank", "epoch", "sha256"});
    checkNeeded(R"({"kind":"indices","rank":0,"epoch":0,"step":1,"slot":0,"index":[0]})",
                {"rank", "epoch", "slot", "index"});
    checkNeeded(R"({"kind":"local","rank":0,"epoch":0,"loss":1})", {"rank", "epoch"});
    checkNeeded(R"({"kind":"traffic","rank":0,"step":1,"bytes":0})", {"rank", "bytes"});
    checkNeeded(R"({"kind":"replica","rank":0,"step":0,"hash":"h"})", {"rank", "step", "hash"});
    checkNeeded(R"({"kind":"clock","rank":0,"offset_us":0,"moved_us":1,"error_us":0,"round_trip_us":0})",
                {"rank", "offset_us", "error_us", "round_trip_us"});
    checkNeeded(R"({"kind":"links","rank":0,"peer":[],"round_trip_us":[],"bytes":[],"busy_us":[],"length_us":1})",
                {"rank", "peer", "round_trip_us", "bytes", "busy_us", "length_us"});
    checkNeeded(R"({"kind":"gradients","rank":0,"step":1,"moment":"own","norm":1})", {"rank", "step", "moment"});
    checkNeeded(R"({"kind":"trace","rank":0,"step":1,"begin_ns":0,"length_ns":1,"cpu_ns":0})",
                {"rank", "step", "begin_ns", "length_ns"});
    checkNeeded(R"({"kind":"steps","rank":0,"lr":1,"step":[1],"loss":[1],"correct":[1],"samples":[1],"end_us":[1]})",
                {"rank", "step", "loss", "samples", "end_us"});
    checkNeeded(R"({"kind":"log","rank":0,"level":"info","text":"t"})", {"rank", "text"});
    checkNeeded(R"({"kind":"checkpoint","step":1,"path":"p"})", {"path"});
    checkNeeded(R"({"kind":"logged","rank":0,"tag":"t","step":1})", {"rank", "tag"});
    checkNeeded(R"({"kind":"end","state":"failed","steps":1})", {"state"});
}

TEST_CASE("a flag is true or false, a text is a string, and a list of lines has strings") {
    CHECK(accepts(std::string(R"({"kind":"pace","rank":0,"kept":false})")));
    for (const char* value : {"1", "0", "\"true\"", "[true]", "null"}) {
        CAPTURE(value);
        CHECK_FALSE(accepts(R"({"kind":"pace","rank":0,"kept":)" + std::string(value) + "}"));
    }
    CHECK_FALSE(accepts(std::string(R"({"kind":"log","rank":0,"text":1})")));
    CHECK(accepts(std::string(R"({"kind":"end","state":"failed","last_lines":["a"]})")));
    CHECK_FALSE(accepts(std::string(R"({"kind":"end","state":"failed","last_lines":[1]})")));
    CHECK_FALSE(accepts(std::string(R"({"kind":"end","state":"failed","last_lines":"a"})")));
}

TEST_CASE("the columns of a line have one length, or are left out together") {
    const auto with = [](const char* text, const std::string& key, const Json& value) {
        Json line = Json::parse(text);
        line[key] = value;
        return accepts(line);
    };
    for (const char* key : {"loss", "samples", "end_us", "correct", "gradient_norm", "data_us", "forward_ns"}) {
        CAPTURE(key);
        CHECK_FALSE(with(kOneStep, key, Json::array({1, 1})));
    }
    CHECK(with(kOneStep, "backward_ns", Json::array()));
    for (const char* key : {"from", "count", "loss_min", "loss_max"}) {
        CAPTURE(key);
        CHECK_FALSE(with(kWindow, key, Json::array({1, 2})));
        CHECK_FALSE(with(kWindow, key, Json::array()));
    }
    // Ranges of accuracies and of norms require the columns with the hits and the norms.
    CHECK_FALSE(with(kWindow, "correct", Json::array({1})));
    CHECK_FALSE(with(kWindow, "gradient_norm", Json::array({1})));
    CHECK_FALSE(with(kWindow, "accuracy_min", Json::array({1})));
    CHECK_FALSE(with(kWindow, "gradient_norm_max", Json::array({1})));
    Json ranges = Json::parse(kWindow);
    ranges["correct"] = ranges["accuracy_min"] = ranges["accuracy_max"] = Json::array({1});
    CHECK(accepts(ranges));
    ranges["gradient_norm"] = ranges["gradient_norm_min"] = ranges["gradient_norm_max"] = Json::array({1});
    CHECK(accepts(ranges));
    const Json trace = Json::parse(kTrace);
    for (const auto& [key, value] : trace.items()) {
        if (!value.is_array()) continue;
        CAPTURE(key);
        CHECK_FALSE(with(kTrace, key, Json::array({1, 1})));
    }
    for (const char* key : {"peer", "round_trip_us", "bytes", "busy_us", "wait_us"})
        CHECK_FALSE(
            with(R"({"kind":"links","rank":0,"peer":[1],"round_trip_us":[1],"bytes":[1],"busy_us":[1],"wait_us":[1],)"
                 R"("length_us":1})",
                 key, Json::array({1, 1})));
    CHECK_FALSE(with(R"({"kind":"replica","rank":0,"step":0,"hash":"h","names":["w"],"checksums":[1]})", "names",
                     Json::array({"w", "b"})));
}

TEST_CASE("the windows of a line follow each other") {
    const auto windows = [](const std::string& from, const std::string& step, const std::string& count) {
        return accepts(R"({"kind":"steps","rank":0,"step":)" + step +
                       R"(,"loss":[1,1],"samples":[1,1],"end_us":[1,2],)" + R"("from":)" + from + R"(,"count":)" +
                       count + R"(,"loss_min":[1,1],"loss_max":[1,1]})");
    };
    CHECK(windows("[1,5]", "[4,8]", "[4,4]"));
    CHECK(windows("[1,8]", "[4,8]", "[4,1]"));
    CHECK(windows("[4,5]", "[4,5]", "[1,1]"));
    CHECK_FALSE(windows("[1,4]", "[4,8]", "[4,4]"));
    CHECK_FALSE(windows("[1,9]", "[4,8]", "[4,1]"));
    CHECK_FALSE(windows("[5,5]", "[4,8]", "[1,1]"));
    CHECK_FALSE(windows("[1,5]", "[4,8]", "[4,5]"));
    CHECK_FALSE(windows("[1,5]", "[4,8]", "[5,4]"));
}

TEST_CASE("the times of a trace are in order within its step, and shares are at most one") {
    const auto trace = [](const std::string& length, const std::string& at, const std::string& planned = "1") {
        return accepts(R"({"kind":"trace","rank":0,"step":3,"begin_ns":0,"phase":[1,2],"used_ns":[0,0],"length_ns":)" +
                       length + R"(,"at_ns":)" + at + R"(,"planned_compute":)" + planned + R"(,"planned_update":)" +
                       planned + "}");
    };
    CHECK(trace("10", "[0,10]"));
    CHECK(trace("10", "[5,5]"));
    CHECK_FALSE(trace("10", "[5,4]"));
    CHECK_FALSE(trace("10", "[0,11]"));
    CHECK(trace("0", "[0,0]"));
    CHECK_FALSE(trace("0", "[0,1]"));
    CHECK(trace("-1", "[0,11]"));  // not finished
    CHECK(trace("10", "[0,1]", "0"));
    CHECK_FALSE(trace("10", "[0,1]", "-0.1"));
    CHECK_FALSE(trace("10", "[0,1]", "1.1"));
    CHECK_FALSE(trace("10", "[0,1]", "null"));
}

TEST_CASE("the cells of gradients fill the grids of their tensors") {
    const auto grids = [](const std::string& names, const std::string& columns) {
        return accepts(R"({"kind":"gradients","rank":0,"step":1,"moment":"own","names":)" + names + columns + "}");
    };
    CHECK(grids("[]", ""));
    CHECK(grids(R"(["a"])", ""));
    CHECK(grids(R"(["a"])", R"(,"rows":[2],"columns":[3],"cells":[1,2,3,4,5,6])"));
    CHECK_FALSE(grids(R"(["a"])", R"(,"rows":[2],"columns":[3],"cells":[1,2,3,4,5])"));
    CHECK_FALSE(grids(R"(["a"])", R"(,"rows":[2],"columns":[3,1],"cells":[1,2,3,4,5,6])"));
    CHECK_FALSE(grids(R"(["a","b"])", R"(,"rows":[2],"columns":[3],"cells":[1,2,3,4,5,6])"));
    CHECK(grids(R"(["a","b"])", R"(,"rows":[1,2],"columns":[3,1],"cells":[1,2,3,4,5])"));
    CHECK(grids(R"(["a","b"])", R"(,"norms":[1,2],"checksums":[1,2])"));
    CHECK_FALSE(grids(R"(["a","b"])", R"(,"norms":[1])"));
    CHECK_FALSE(grids(R"(["a","b"])", R"(,"checksums":[1])"));
    const auto side = [&grids](std::int64_t rows, std::int64_t columns) {
        Json cells = Json::array();
        for (std::int64_t i = 0; i < rows * columns; ++i) cells.push_back(1);
        return grids(R"(["a"])", R"(,"rows":[)" + std::to_string(rows) + R"(],"columns":[)" + std::to_string(columns) +
                                     R"(],"cells":)" + cells.dump());
    };
    CHECK(side(256, 1));
    CHECK(side(1, 256));
    CHECK_FALSE(side(257, 1));
    CHECK_FALSE(side(1, 257));
}

TEST_CASE("a field without a value is left out of its line") {
    const auto lineOf = [](const Event& event) {
        std::string line = encode(event);
        line.pop_back();
        return line;
    };
    CHECK(lineOf(Heartbeat{}) == R"({"kind":"heartbeat","rank":0,"step":0,"epoch":0,"phase":"idle","collective":0,)"
                                 R"("resident_bytes":0,"dropped_steps":0,"batches":0,"time_us":0})");
    CHECK_THAT(lineOf(Heartbeat{.droppedEvents = 1}), containing(R"("dropped_events":1)"));
    CHECK_THAT(lineOf(Heartbeat{.stalledUs = 1}), containing(R"("still_us":1)"));
    const auto gpu = [&lineOf](const GpuReading& reading) {
        Heartbeat beat;
        beat.gpu = reading;
        const std::string line = lineOf(beat);
        return line.find("gpu_percent") != std::string::npos;
    };
    CHECK_FALSE(gpu({}));
    CHECK((gpu({.utilisationPercent = 0}) && gpu({.usedBytes = 0}) && gpu({.celsius = 0}) && gpu({.watts = 0})));
    CHECK_FALSE(gpu({.totalBytes = 5}));
    CHECK(lineOf(RankState{1, RankStage::kTraining, "", 0, 0}) ==
          R"({"kind":"rank","rank":1,"state":"training","time_us":0})");
    CHECK_THAT(lineOf(RankState{1, RankStage::kFailed, "", 0, 0, 0}), containing(R"("missing_rank":0)"));
    CHECK_THAT(lineOf(RankState{1, RankStage::kTraining, "", 1, 0}), containing(R"("pid":1)"));
    CHECK(lineOf(PhaseReached{}) == R"({"kind":"phase","rank":0,"step":0,"phase":"idle","time_us":0})");
    CHECK_THAT(lineOf(PhaseReached{.layer = 0}), containing(R"("layer":0)"));
    CHECK_THAT(lineOf(RankMemory{.predictedPeak = 0}), containing(R"("predicted_peak":0)"));
    CHECK(lineOf(RankMemory{}).find("predicted") == std::string::npos);
    CHECK_THAT(lineOf(ConsumedIndices{.index = {1}, .loader = 1}), containing(R"("loader":1)"));
    CHECK(lineOf(ConsumedIndices{.index = {1}}).find("loader") == std::string::npos);
    CHECK(lineOf(RunEnded()).find("plan_") == std::string::npos);
    RunEnded ended;
    ended.auditedEpochs = 1;
    ended.planVerified = false;
    CHECK_THAT(lineOf(ended), containing(R"("plan_verified":false,"plan_audited_epochs":1})"));
    ended.planMismatch = "rank 2";
    ended.timeVerdict = "v";
    CHECK_THAT(lineOf(ended), containing(R"("plan_audited_epochs":1,"plan_mismatch":"rank 2","time_verdict":"v"})"));
}
