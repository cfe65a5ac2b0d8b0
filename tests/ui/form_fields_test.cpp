// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <set>

#include "config/config_fields.h"
#include "status/run_text.h"
#include "support/catch.h"
#include "telemetry/data/run_data.h"
#include "words/failure_cause.h"
#include "words/field_text.h"
#include "words/form_fields.h"
#include "words/phase_text.h"

using namespace ringside;

TEST_CASE("every field of the form is a field of the configuration, once, with its own object name") {
    std::set<std::string> paths;
    std::set<std::string> stems;
    for (const FormField& field : formFields()) {
        INFO(field.path);
        CHECK(findConfigField(field.path) != nullptr);
        CHECK(paths.insert(field.path).second);
        CHECK(stems.insert(field.stem).second);
    }
}

TEST_CASE("a field of the configuration is in the form, or has only one choice") {
    std::set<std::string> paths{"name"};  // the name is edited by saving the experiment, not in the form
    for (const FormField& field : formFields()) paths.insert(field.path);
    for (const ConfigField& field : configFields()) {
        INFO(field.path);
        CHECK((paths.count(std::string(field.path)) == 1 || field.choices.size() == 1));
    }
}

TEST_CASE("numbers are parsed, and other text is refused") {
    CHECK(parseInteger("128") == 128);
    CHECK(parseInteger(" -3 ") == -3);
    CHECK(parseInteger("9223372036854775807") == 9223372036854775807LL);
    CHECK(!parseInteger("9223372036854775808"));
    CHECK(!parseInteger("1.5"));
    CHECK(!parseInteger("12x"));
    CHECK(!parseInteger(""));
    CHECK(parseReal("1e-3") == 0.001);
    CHECK(!parseReal("nan"));
    CHECK(!parseReal("1e999"));
}

TEST_CASE("lists of widths are separated by commas") {
    CHECK(parseIntegerList("128, 64") == std::vector<std::int64_t>{128, 64});
    CHECK(parseIntegerList("") == std::vector<std::int64_t>{});
    CHECK(!parseIntegerList("128, x"));
    CHECK(!parseIntegerList("128,"));
    CHECK(integerListText({128, 64}) == "128, 64");
}

TEST_CASE("real numbers are written shortly and read back the same") {
    CHECK(realText(0.1) == "0.1");
    CHECK(realText(1e-4) == "0.0001");
    CHECK(realText(25) == "25");
    CHECK(groupedText(1281167) == "1,281,167");
}

TEST_CASE("an error of ringsidectl is shown as its last line with the labels of the form") {
    CHECK(failureCause("ringsidectl: first\nringsidectl: parallel.world_size is 0: use 1\n\n") ==
          "World size is 0: use 1");
    CHECK(inFormWords("pipeline.schedule_file and pipeline.schedule.") == "Schedule file and Pipeline schedule.");
    CHECK(failureCause("Killed: ringsidectl: x") == "Killed: ringsidectl: x");
    CHECK(failureCause("\n").isEmpty());
}

TEST_CASE("times have three figures, and from ten seconds on they are seconds") {
    CHECK(millisecondsText(2.44) == "2.4 ms");
    CHECK(millisecondsText(9'999) == "9999 ms");
    CHECK(millisecondsText(20'973) == "21.0 s");
    CHECK(millisecondsRange(2.6, 5.9) == "2.6 to 5.9 ms");
    CHECK(millisecondsRange(9'000, 20'973) == "9000 ms to 21.0 s");
}

TEST_CASE("losses have four significant digits") {
    CHECK(lossText(2.302585) == "2.303");
    CHECK(lossText(0.0004123456) == "0.0004123");
    CHECK(lossText(2.25) == "2.250");
    CHECK(lossText(2) == "2.000");
    CHECK(lossText(12.5) == "12.50");
    CHECK(lossText(0.25) == "0.2500");
    CHECK(lossText(1234.4) == "1234");
    CHECK(lossText(0.00001) == "1e-05");
    CHECK(lossText(std::nan("")).isEmpty());
}

TEST_CASE("epochs count from 1: the last of ten is the tenth") {
    CHECK(epochNumber(0) == "1");
    CHECK(epochNumber(1436) == "1,437");
    RunData run;
    RunStarted started;
    started.worldSize = 1;
    started.stepsPerEpoch = 3;
    started.epochs = 10;
    run.apply(started);
    StepsFrame frame;
    frame.epoch = 9;
    frame.step = {30};
    frame.loss = {1};
    frame.samples = {4};
    frame.endUs = {1000};
    run.apply(frame);
    CHECK(progressText(RunController::State::Running, run, {}) == "Epoch 10 of 10, step 30 of 30");
}

// Step 13 is the first one of the fifth epoch of three steps each.
TEST_CASE("a run that is paused within a step shows the number of this step, and after it the finished one") {
    RunData run;
    RunStarted started;
    started.worldSize = 1;
    started.stepsPerEpoch = 3;
    started.epochs = 10;
    run.apply(started);
    StepsFrame frame;
    frame.epoch = 3;
    frame.step = {12};
    frame.loss = {1};
    frame.samples = {4};
    frame.endUs = {1000};
    run.apply(frame);
    const auto pausedAfter = [&](Phase phase) {
        run.apply(Controlled{.command = ControlKind::kPause, .step = 12, .after = phase});
        return progressText(RunController::State::Running, run, {});
    };
    CHECK(pausedAfter(Phase::kOptimizer) == "Epoch 4 of 10, step 12 of 30, paused after optimizer");
    CHECK(pausedAfter(Phase::kForward) == "Epoch 5 of 10, in step 13 of 30, paused after forward");
    // A request to inspect the next step does not end the pause.
    run.apply(Controlled{.command = ControlKind::kReplicas, .value = 1, .step = 12});
    CHECK(progressText(RunController::State::Running, run, {}) ==
          "Epoch 5 of 10, in step 13 of 30, paused after forward");
}

TEST_CASE("a run that is over shows the steps that it has made, and that ranks were throttled") {
    RunData run;
    RunStarted started;
    started.worldSize = 1;
    started.stepsPerEpoch = 3;
    started.epochs = 10;
    RunConfig config;
    config.parallel.throttle.gflops = 5;
    started.config = config.toText();
    run.apply(started);
    StepsFrame frame;
    frame.epoch = 3;
    frame.step = {12};
    frame.loss = {1};
    frame.samples = {4};
    frame.endUs = {1000};
    run.apply(frame);
    CHECK(progressText(RunController::State::Finished, run, {}).startsWith("Finished: 12 steps, throttled"));
    CHECK(progressText(RunController::State::Stopped, run, {}) == "Stopped: 12 steps");
    run.apply(EpochResult{.split = SplitKind::kValidation, .loss = std::nan(""), .accuracy = std::nan("")});
    CHECK(progressText(RunController::State::Stopped, run, {}) ==
          "Stopped: 12 steps, validation loss is not a finite number");
}
