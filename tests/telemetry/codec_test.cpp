// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "support/catch.h"
#include "telemetry/events/codec.h"
#include "telemetry/events/plain_line.h"

using namespace ringside;

namespace {

template <class E>
E decoded(const std::string& line) {
    const Result<Event> event = decodeLine(line);
    REQUIRE(event.ok());
    REQUIRE(std::holds_alternative<E>(event.value()));
    return std::get<E>(event.value());
}

std::string problemOf(const std::string& line) {
    const Result<Event> event = decodeLine(line);
    REQUIRE_FALSE(event.ok());
    return event.problem().text();
}

const char* const kSteps =
    R"({"kind":"steps","rank":2,"epoch":1,"lr":0.1,"step":[13,14],"loss":[0.5,null],"correct":[30,31],)"
    R"("samples":[32,32],"end_us":[1000,1500],"gradient_norm":[2.5,1.25],"data_us":[7,0]})";

}  // namespace

TEST_CASE("a manually written steps line is decoded into equal columns") {
    const auto frame = decoded<StepsFrame>(kSteps);
    CHECK(frame.rank == 2);
    CHECK(frame.epoch == 1);
    CHECK(frame.learningRate == 0.1);
    CHECK(frame.step == std::vector<std::int64_t>{13, 14});
    CHECK(frame.loss[0] == 0.5);
    CHECK(std::isnan(frame.loss[1]));
    CHECK(frame.correct == std::vector<double>{30, 31});
    CHECK(frame.endUs == std::vector<std::int64_t>{1000, 1500});
    CHECK(frame.gradientNorm == std::vector<double>{2.5, 1.25});
    CHECK(frame.dataUs == std::vector<std::int64_t>{7, 0});
}

TEST_CASE("a steps frame is encoded as the documented line") {
    StepsFrame frame;
    frame.rank = 2;
    frame.epoch = 1;
    frame.learningRate = 0.1;
    frame.step = {13, 14};
    frame.loss = {0.5, std::numeric_limits<double>::infinity()};
    frame.correct = {30, 31};
    frame.samples = {32, 32};
    frame.endUs = {1000, 1500};
    frame.gradientNorm = {2.5, 1.25};
    frame.dataUs = {7, 0};
    CHECK(encode(frame) == std::string(kSteps) + "\n");
}

TEST_CASE("the fast parser reads encoded lines and leaves any other form to the general parser") {
    REQUIRE(readPlainLine(kSteps));
    CHECK(encode(*readPlainLine(kSteps)) == std::string(kSteps) + "\n");
    const std::string line = kSteps;
    std::string spaced = line;
    spaced[spaced.find(',')] = ' ';
    spaced.replace(spaced.find(' '), 1, " ,");
    for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{{"\"rank\":2", "\"rank\": 2"},
                                                                                   {"\"rank\":2", "\"rank\":4096"},
                                                                                   {"[13,14]", "[14,13]"},
                                                                                   {"[13,14]", "[13,14,15]"},
                                                                                   {"0.5,null", "00.5,null"},
                                                                                   {"0.5,null", "inf,null"},
                                                                                   {"0.5,null", "1e999,null"},
                                                                                   {"0.5,null", "1.,null"},
                                                                                   {"[30,31]", "[30,-1]"},
                                                                                   {"\"lr\":0.1", "\"lr\":+0.1"},
                                                                                   {"}", "} "},
                                                                                   {"}", ""},
                                                                                   {"[1000,1500]", "[1000,1500.0]"},
                                                                                   {"[32,32]", "[]"},
                                                                                   {"steps", "step"}}) {
        std::string changed = line;
        changed.replace(changed.find(from), from.size(), to);
        INFO(changed);
        CHECK_FALSE(readPlainLine(changed));
    }
    CHECK(decoded<StepsFrame>(spaced).step.size() == 2);
}

TEST_CASE("a regression frame has no column of correct predictions") {
    StepsFrame frame;
    frame.step = {1};
    frame.loss = {0.25};
    frame.samples = {8};
    frame.endUs = {7};
    CHECK(encode(frame) ==
          "{\"kind\":\"steps\",\"rank\":0,\"epoch\":0,\"lr\":0,\"step\":[1],\"loss\":[0.25],\"samples\":[8],\"end_us\":"
          "[7]}\n");
}

TEST_CASE("every kind of event that is encoded and decoded is unchanged") {
    const Event events[] = {
        RunStarted{1, "n", "d", 4, "shm", "w", "cpu", "v", 1437, 360, 12, 10, 32, 5, R"({"a":1})", "auto", "auto", 23},
        RankState{3, RankStage::kTraining, "CPU 0", 77, 9},
        Heartbeat{1, 5, 2, Phase::kWaiting, 41, 4096, 3, 8, 6},
        Heartbeat{1, 5, 2, Phase::kWaiting, 41, 4096, 3, 8, 6, {87, 1 << 30, 1LL << 37, 63, 412.5}},
        Heartbeat{1, 5, 2, Phase::kWaiting, 41, 4096, 3, 8, 6, {}, 1500000, 12},
        EpochResult{2, SplitKind::kValidation, 0.5, 0.75, 360, 0.25, 0.5, 364, 36, 12, 5},
        Consumed{1, 2, 360, "ab"},
        Replica{1, 12, "cd"},
        Replica{1, 12, "cd", {"0.weight", "0.bias"}, {7, 1LL << 52}},
        LocalResult{2, 3, 0.5, 0.75, 90, 48},
        ThrottleKept{1, 33, false, 1.75},
        PhaseReached{1, 33, Phase::kBackward, 9},
        GradientView{1,
                     0,
                     12,
                     GradientMoment::kOwn,
                     1.5,
                     0.25,
                     {"w", "b"},
                     {2, 1},
                     {2, 3},
                     {1, -2, 0.5, 0, 3, 4, 5},
                     {1, 2},
                     {1, 2},
                     {},
                     9},
        GradientView{1, 0, 12, GradientMoment::kChange, 1.5, 0.25, {"w"}, {}, {}, {}, {}, {}, {77}, 9},
        RankMemory{1, 4096, 2048, 8192, 1 << 20, 512, 64, 1 << 21},
        RankMemory{1, 4096, 2048, 8192, 1 << 20, 512, 64, 1 << 21, 1 << 20},
        RankTraffic{2, 2, 1 << 22},
        HostClock{2, -183'921'000'000, 1840, 60, 120, -12.5, 77'000'000},
        RankLinks{2, {0, 5}, {210, 43}, {1 << 22, 0}, {4000, 0}, {3000, 0}, 5'000'000, 9},
        LogLine{-1, LogLevel::kWarning, "quote \" and \n newline", 3},
        CheckpointSaved{120, "checkpoints/step-00000120", 4},
        ConsumedIndices{3, 2, 25, 64, {7, 0, 2147483646}},
        ConsumedIndices{3, 2, 25, 64, {7}, 5},
        LoggedScalar{1, "train/loss", 40, 0.25, "tensorboard", 8},
        Finding{"set-epoch-missing", Severity::kMistake, "t", "train.py:48", R"({"epochs":3})", "r", 9},
        Finding{"set-epoch-missing", Severity::kMistake, "t", "", "", "r", 9, true},
        ScriptFacts{1, "loader", R"({"id":0,"sampler":{"seed":0}})", 7},
        RunEnded{RunOutcome::kFailed, 12, 2, "rank 2 died", {"a", "b"}, 7, 1.5, 2.5, 3.5, 6}};
    for (const Event& event : events) {
        const std::string line = encode(event);
        CHECK(line.find('\n') == line.size() - 1);
        const Result<Event> back = decodeLine(line);
        REQUIRE(back.ok());
        CHECK(back.value().index() == event.index());
        CHECK(encode(back.value()) == line);
    }
}

TEST_CASE("a gradient event with inconsistent columns is refused") {
    const auto problemOf = [](GradientView view) {
        const Result<Event> back = decodeLine(encode(view));
        return back ? std::string() : back.problem().text();
    };
    const GradientView good{0, 0, 1, GradientMoment::kOwn, 1, 0, {"w"}, {2}, {2}, {1, 2, 3, 4}, {1}, {}, {}, 0};
    CHECK(problemOf(good).empty());
    GradientView view = good;
    view.cells.pop_back();
    CHECK(problemOf(view).find("do not match the numbers of rows and columns of the tensors") != std::string::npos);
    view = good;
    view.names.push_back("b");
    CHECK(problemOf(view).find("do not match the numbers of rows and columns of the tensors") != std::string::npos);
    std::string later = encode(good);
    later.replace(later.find("\"own\""), 5, "\"later\"");
    CHECK(decodeLine(later).problem().text().find("not own, mean or change") != std::string::npos);
    view = good;
    view.columns = {300};
    CHECK(problemOf(view).find("allowed values are 1 to 256") != std::string::npos);
}

TEST_CASE("lines are written in the documented order, numbers in their shortest digits") {
    CHECK(encode(RankState{3, RankStage::kTraining, "CPU 0", 77, 9}) ==
          "{\"kind\":\"rank\",\"rank\":3,\"state\":\"training\",\"device\":\"CPU 0\",\"pid\":77,\"time_us\":9}\n");
    CHECK(encode(RankState{3, RankStage::kTraining, "", 0, 9}) ==
          "{\"kind\":\"rank\",\"rank\":3,\"state\":\"training\",\"time_us\":9}\n");
    CHECK(encode(Consumed{1, 2, 360, "ab"}) ==
          "{\"kind\":\"consumed\",\"rank\":1,\"epoch\":2,\"count\":360,\"sha256\":\"ab\"}\n");
    CHECK(encode(Replica{1, 12, "cd"}) == "{\"kind\":\"replica\",\"rank\":1,\"step\":12,\"hash\":\"cd\"}\n");
    constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
    CHECK(encode(EpochResult{2, SplitKind::kValidation, 0.5, kNaN, 360, 0.25, 1, 364, 36, 12, 5}) ==
          "{\"kind\":\"epoch\",\"epoch\":2,\"split\":\"val\",\"loss\":0.5,\"accuracy\":null,\"samples\":360,"
          "\"loss_padded\":0.25,\"accuracy_padded\":1,\"samples_padded\":364,\"step\":36,\"non_finite_batches\":5,"
          "\"time_us\":12}\n");
    CHECK(encode(LogLine{0, LogLevel::kInfo, "a \"b\"\\\n", 3}) ==
          "{\"kind\":\"log\",\"rank\":0,\"level\":\"info\",\"text\":\"a \\\"b\\\"\\\\\\n\",\"time_us\":3}\n");
}

TEST_CASE("frequent events use the fast parser; escaped text and rare events do not") {
    for (const Event& event : std::initializer_list<Event>{
             RankState{3, RankStage::kTraining, "CPU 0", 77, 9}, RankState{3, RankStage::kTraining, "", 0, 9},
             Heartbeat{1, 5, 2, Phase::kWaiting, 41, 4096, 3, 8, 6},
             EpochResult{2, SplitKind::kValidation, 0.5, 0.75, 360, 0.25, 0.5, 364, 36, 12, 5},
             Consumed{1, 2, 360, "ab"}, Replica{1, 12, "cd"}, LogLine{-1, LogLevel::kInfo, "plain", 3},
             ConsumedIndices{3, 2, 25, 64, {7, 0, 2147483646}}}) {
        std::string line = encode(event);
        line.pop_back();
        INFO(line);
        CHECK(readPlainLine(line));
    }
    for (const Event& event :
         std::initializer_list<Event>{LogLine{0, LogLevel::kInfo, "a \"quote\"", 3},
                                      LogLine{0, LogLevel::kInfo, "\xC3\xA9", 3}, RunStarted{}, RunEnded{}}) {
        std::string line = encode(event);
        line.pop_back();
        INFO(line);
        CHECK_FALSE(readPlainLine(line));
    }
}

TEST_CASE("the run and end lines decode field by field") {
    const auto run = decoded<RunStarted>(
        R"({"kind":"run","version":1,"name":"x","world_size":4,"steps_per_epoch":12,"epochs":10,"new_key":[1],"config":{"a":2}})");
    CHECK(run.worldSize == 4);
    CHECK(run.stepsPerEpoch == 12);
    CHECK(run.config == R"({"a":2})");
    const auto end = decoded<RunEnded>(
        R"({"kind":"end","state":"failed","exit_code":13,"first_failed_rank":2,"verdict":"v","last_lines":["a"]})");
    CHECK(end.exitCode == 13);
    CHECK(end.firstFailedRank == 2);
    CHECK(end.lastLines == std::vector<std::string>{"a"});
}

TEST_CASE("the samples of a step are one line, and an invalid sample number is refused") {
    CHECK(encode(ConsumedIndices{1, 2, 25, 32, {88, 9}}) ==
          "{\"kind\":\"indices\",\"rank\":1,\"epoch\":2,\"step\":25,\"slot\":32,\"index\":[88,9]}\n");
    CHECK(problemOf(R"({"kind":"indices","rank":1,"epoch":2,"slot":32})").find("index") != std::string::npos);
    CHECK(problemOf(R"({"kind":"indices","rank":1,"epoch":2,"slot":32,"index":[1,-1]})").find("is -1") !=
          std::string::npos);
    CHECK(problemOf(R"({"kind":"indices","rank":1,"epoch":2,"slot":-1,"index":[1]})").find("slot") !=
          std::string::npos);
}

TEST_CASE("the events of a watched script are encoded as documented") {
    CHECK(encode(LoggedScalar{0, "loss", 3, 0.5, "tensorboard", 9}) ==
          R"({"kind":"logged","rank":0,"tag":"loss","step":3,"value":0.5,"source":"tensorboard","time_us":9})"
          "\n");
    CHECK(encode(LoggedScalar{0, "loss", 3, std::numeric_limits<double>::quiet_NaN()}) ==
          R"({"kind":"logged","rank":0,"tag":"loss","step":3,"value":null,"time_us":0})"
          "\n");
    CHECK(encode(ScriptFacts{2, "loader", R"({"id": 1})", 9}) ==
          R"({"kind":"script","rank":2,"about":"loader","facts":{"id":1},"time_us":9})"
          "\n");
    CHECK(encode(Finding{"c", Severity::kCost, "t", "", "", "r", 9}) ==
          R"({"kind":"finding","code":"c","severity":"cost","text":"t","remedy":"r","time_us":9})"
          "\n");
    CHECK(encode(Finding{"c", Severity::kCost, "t", "", "", "r", 9, true}) ==
          R"({"kind":"finding","code":"c","severity":"cost","text":"t","remedy":"r","withdrawn":true,"time_us":9})"
          "\n");
    CHECK(encode(ConsumedIndices{1, 2, 25, 32, {88}, 4}) ==
          R"({"kind":"indices","rank":1,"epoch":2,"step":25,"slot":32,"index":[88],"loader":4})"
          "\n");
}

TEST_CASE("a logged scalar and the indices of a numbered loader are read by the fast reader") {
    for (const Event& event : std::initializer_list<Event>{LoggedScalar{0, "loss", 3, 0.5, "tensorboard", 9},
                                                           ConsumedIndices{1, 2, 25, 32, {88}, 4}}) {
        std::string line = encode(event);
        line.pop_back();
        INFO(line);
        REQUIRE(readPlainLine(line));
        CHECK(encode(*readPlainLine(line)) == line + "\n");
    }
}

TEST_CASE("a finding with an unknown severity and facts that are not an object are refused") {
    const auto finding = decoded<Finding>(
        R"({"kind":"finding","code":"c","severity":"mistake","text":"t","where":"train.py:48","evidence":{"a":[1]}})");
    CHECK(finding.severity == Severity::kMistake);
    CHECK(finding.where == "train.py:48");
    CHECK(finding.evidence == R"({"a":[1]})");
    CHECK(problemOf(R"({"kind":"finding","code":"c","severity":"fatal","text":"t"})").find("not mistake") !=
          std::string::npos);
    CHECK(problemOf(R"({"kind":"finding","code":"c","severity":"","text":"t"})").find("severity") != std::string::npos);
    CHECK(problemOf(R"({"kind":"finding","code":"c","severity":"cost","text":"t","evidence":[1]})").find("evidence") !=
          std::string::npos);
    CHECK(problemOf(R"({"kind":"script","rank":0,"about":"loader","facts":[1]})").find("is not a JSON object") !=
          std::string::npos);
    CHECK(problemOf(R"({"kind":"script","rank":0,"about":"loader"})").find("facts") != std::string::npos);
    CHECK(problemOf(R"({"kind":"script","rank":-1,"about":"loader","facts":{}})").find("rank") != std::string::npos);
    CHECK(problemOf(R"({"kind":"logged","rank":0,"value":1})").find("tag") != std::string::npos);
}

TEST_CASE("bytes that are not UTF-8 are replaced, not fatal") {
    const auto log = decoded<LogLine>(encode(LogLine{0, LogLevel::kInfo,
                                                     std::string("a\xff"
                                                                 "b"),
                                                     0}));
    CHECK(log.text ==
          "a\xEF\xBF\xBD"
          "b");
}

TEST_CASE("numbers out of bounds are problems that name the field") {
    CHECK(problemOf(R"({"kind":"heartbeat","rank":4096})").find("\"rank\" is 4096") != std::string::npos);
    CHECK(problemOf(R"({"kind":"heartbeat","rank":-1})").find("rank") != std::string::npos);
    CHECK(problemOf(R"({"kind":"heartbeat"})").find("is missing") != std::string::npos);
    CHECK(problemOf(R"({"kind":"heartbeat","rank":0,"step":18446744073709551615})").find("step") != std::string::npos);
    CHECK(problemOf(R"({"kind":"heartbeat","rank":"0"})").find("whole number") != std::string::npos);
    CHECK(problemOf(R"({"kind":"run","world_size":1000000000})").find("world_size") != std::string::npos);
    CHECK(problemOf(R"({"kind":"epoch","epoch":0,"split":"test"})").find("split") != std::string::npos);
    CHECK(problemOf(R"({"kind":"dance"})").find("unknown") != std::string::npos);
    CHECK(problemOf(R"([1,2])").find("object") != std::string::npos);
    CHECK_FALSE(problemOf(R"({"kind":"heartbeat","rank":1e999})").empty());
}

TEST_CASE("columns of different lengths, too many entries or falling steps are refused") {
    CHECK(problemOf(R"({"kind":"steps","rank":0,"step":[1,2],"loss":[1],"samples":[1,1],"end_us":[1,2]})")
              .find("different lengths") != std::string::npos);
    CHECK(problemOf(R"({"kind":"steps","rank":0,"step":[2,2],"loss":[1,1],"samples":[1,1],"end_us":[1,2]})")
              .find("ascending order") != std::string::npos);
    std::string many = R"({"kind":"steps","rank":0,"step":[)";
    for (int i = 0; i < 65537; ++i) many.append(i > 0 ? ",1" : "1");
    CHECK(problemOf(many.append(R"(],"loss":[],"samples":[],"end_us":[]})")).find("65536") != std::string::npos);
}

TEST_CASE("the decoder gives the same events for any chunking") {
    const std::string stream = encode(RankState{0, RankStage::kLoading, "", 0, 1}) + std::string(kSteps) + "\r\n\n" +
                               encode(LogLine{0, LogLevel::kInfo, "done", 2});
    for (std::size_t chunk = 1; chunk <= stream.size(); ++chunk) {
        Decoder decoder;
        std::vector<std::size_t> kinds;
        for (std::size_t at = 0; at < stream.size(); at += chunk) {
            decoder.feed(std::string_view(stream).substr(at, chunk), [&](Event&& e) { kinds.push_back(e.index()); });
        }
        REQUIRE(kinds == std::vector<std::size_t>{1, 2, 7});
        REQUIRE(decoder.badLines() == 0);
    }
}

TEST_CASE("bad lines are counted, and the next good line is still decoded") {
    Decoder decoder;
    int good = 0;
    decoder.feed("garbage\n{\"kind\":\"steps\"\n\xff\xfe\n" + encode(LogLine{0, LogLevel::kInfo, "x", 0}),
                 [&](Event&&) { ++good; });
    CHECK(good == 1);
    CHECK(decoder.badLines() == 3);
    CHECK(decoder.lastProblem().find("JSON") != std::string::npos);
}

TEST_CASE("an overlong line is skipped completely, for any chunking") {
    Decoder decoder;
    int good = 0;
    const auto count = [&](Event&&) { ++good; };
    const std::string piece(1U << 20, 'x');
    for (int i = 0; i < 6; ++i) decoder.feed(piece, count);
    decoder.feed("\n", count);
    decoder.feed(encode(LogLine{0, LogLevel::kInfo, "x", 0}), count);
    CHECK(good == 1);
    CHECK(decoder.badLines() == 1);
}
