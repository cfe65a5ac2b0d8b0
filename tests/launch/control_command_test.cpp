// SPDX-License-Identifier: Apache-2.0
#include "launch/channels/control_command.h"

#include <vector>

#include "support/catch.h"

using namespace ringside;

namespace {

std::string problemOf(const std::vector<std::string>& words) {
    const Result<ControlCommand> command = parseControl(words);
    return command ? "understood" : command.problem().text();
}

}  // namespace

TEST_CASE("a command is one line of JSON with an optional value") {
    CHECK(encodeControl({ControlKind::kStop}) == "{\"kind\":\"stop\"}\n");
    CHECK(encodeControl({ControlKind::kLearningRate, 0.25}) == "{\"kind\":\"lr\",\"value\":0.25}\n");
    for (int kind = 0; kind < 10; ++kind) {
        const auto known = static_cast<ControlKind>(kind);
        const ControlCommand command{known, needsValue(known) ? 7.0 : 0.0};
        const Result<ControlCommand> read = decodeControl(encodeControl(command));
        REQUIRE(read.ok());
        CHECK(read.value() == command);
    }
}

TEST_CASE("a command is read in any valid form of JSON") {
    CHECK(decodeControl(" { \"k\\u0069nd\" : \"stop\", \"more\": [1] } ").value() ==
          ControlCommand{ControlKind::kStop});
    CHECK(decodeControl(R"({"kind":"step"})").value() == ControlCommand{ControlKind::kStep, 1});
    CHECK(decodeControl(R"({"kind":"record"})").value() == ControlCommand{ControlKind::kRecord, 50});
}

TEST_CASE("an unknown command is refused with the known ones") {
    for (const char* line : {"", "stop", "[]", "{}", "{\"kind\":7}", "{\"kind\":\"dance\"}", "{\"kind\":\"rate\"}",
                             "{\"kind\":\"rate\",\"value\":\"5\"}", "{\"kind\":\"rate\",\"value\":-1}",
                             "{\"kind\":\"step\",\"value\":1.5}", "{\"kind\":\"epochs\",\"value\":1e300}"}) {
        INFO(line);
        CHECK_FALSE(decodeControl(line).ok());
    }
    CHECK(decodeControl(R"({"kind":"dance"})").problem().text() ==
          "control \"dance\" is not a command: commands are stop, pause, resume, step, phase, rate, lr, epochs, "
          "checkpoint, record, replicas");
}

TEST_CASE("the words of a command line become a command") {
    CHECK(parseControl(std::vector<std::string>{"pause"}).value() == ControlCommand{ControlKind::kPause});
    CHECK(parseControl(std::vector<std::string>{"step", "3"}).value() == ControlCommand{ControlKind::kStep, 3});
    CHECK(parseControl(std::vector<std::string>{"rate", "0.5"}).value() == ControlCommand{ControlKind::kRate, 0.5});
    CHECK(parseControl(std::vector<std::string>{"rate", "full"}).value() == ControlCommand{ControlKind::kRate, 0});
    CHECK(problemOf({}) ==
          "control has no command: commands are stop, pause, resume, step, phase, rate, lr, epochs, "
          "checkpoint, record, replicas");
    CHECK(problemOf({"step", "0"}) == "control step is 0: give a whole number from 1 to 1000000000");
    CHECK(parseControl(std::vector<std::string>{"replicas"}).value() == ControlCommand{ControlKind::kReplicas, 1});
    CHECK(problemOf({"replicas", "1001"}) == "control replicas is 1001: give a whole number from 1 to 1000");
    CHECK(problemOf({"lr"}) == "control lr needs a value: give a number from 0 to 1000000");
    CHECK(problemOf({"lr", "nan"}) == "control lr is nan: give a number from 0 to 1000000");
    CHECK(problemOf({"lr", "0.1x"}) == "control lr is \"0.1x\": give a number from 0 to 1000000");
    CHECK(problemOf({"pause", "2"}) == "control pause has \"2\" after it: omit this word");
    CHECK(problemOf({"step", "2", "3"}) == "control step has \"3\" after it: omit this word");
}
