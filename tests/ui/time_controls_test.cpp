// SPDX-License-Identifier: GPL-3.0-or-later
#include "main_window/bars/time_controls.h"

#include <QKeyEvent>
#include <QUndoStack>
#include <QWidget>

#include "commands/keys_dialog.h"
#include "main_window/actions/window_actions.h"
#include "models/run_controller.h"
#include "models/run_model.h"
#include "support/catch.h"
#include "ui/fake_run.h"
#include "ui/wait_for.h"

using namespace ringside;
using State = RunController::State;

namespace {

// Time controls of a window with a run that executes commands.
struct TimeControlsBench {
    FakeRun fake{"obeys"};
    QWidget window;
    QUndoStack undo;
    RunModel model;
    RunController controller{FakeRun::program(), model};
    WindowActions actions{&window, undo};
    TimeControls time{actions, controller, model};

    TimeControlsBench() {
        fake.write("pause.jsonl",
                   encode(Controlled{.command = ControlKind::kPause, .step = 3, .after = Phase::kOptimizer}));
        fake.write("resume.jsonl", encode(Controlled{.command = ControlKind::kResume, .step = 3}));
        fake.write("rate.jsonl", encode(Controlled{.command = ControlKind::kRate, .value = 5, .step = 3}));
    }
    void start() {
        controller.start(RunConfig(), {});
        REQUIRE(waitFor([&] { return controller.state() == State::Running; }));
    }
    bool press(int key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
        return time.handleKey(QKeyEvent(QEvent::KeyPress, key, modifiers));
    }
    bool wasSent(const char* line) {
        return waitFor([&] { return fake.read("control").contains(line); });
    }
};

}  // namespace

TEST_CASE("without a live run nothing can be paused, and Space is not handled") {
    TimeControlsBench bench;
    for (const QAction* action : {bench.actions.pause, bench.actions.step, bench.actions.phase, bench.actions.saveNow})
        CHECK_FALSE(action->isEnabled());
    CHECK_FALSE(bench.press(Qt::Key_Space));
    CHECK_FALSE(bench.press(Qt::Key_Right));
}

TEST_CASE("the menu names the keys that the window handles, and the buttons do not") {
    TimeControlsBench bench;
    CHECK(bench.actions.pause->text() == "&Pause\tSpace");
    CHECK(bench.actions.pause->iconText() == "Pause");
    CHECK(bench.actions.step->text() == "S&tep\tRight");
    CHECK(bench.actions.phase->text() == "P&hase\tShift+Right");
    CHECK(bench.actions.phase->iconText() == "Phase");
    CHECK(plainText(*bench.actions.step) == "Step");
}

TEST_CASE("Space pauses and resumes a run, the arrow keys step it") {
    TimeControlsBench bench;
    bench.start();
    CHECK(bench.press(Qt::Key_Space));
    CHECK(bench.wasSent(R"({"kind":"pause"})"));
    REQUIRE(waitFor([&] { return bench.actions.pause->iconText() == "Resume"; }));
    CHECK(bench.actions.pause->statusTip() == "Continue training (Space)");
    CHECK(bench.press(Qt::Key_Right));
    CHECK(bench.wasSent(R"({"kind":"step","value":1.0})"));
    CHECK(bench.press(Qt::Key_Right, Qt::ShiftModifier));
    CHECK(bench.wasSent(R"({"kind":"phase"})"));
    CHECK_FALSE(bench.press(Qt::Key_Space, Qt::ControlModifier));
    CHECK(bench.press(Qt::Key_Space));
    CHECK(bench.wasSent(R"({"kind":"resume"})"));
    REQUIRE(waitFor([&] { return bench.actions.pause->iconText() == "Pause"; }));
    CHECK(bench.actions.pause->statusTip() == "Pause all ranks after the current step (Space)");
}

TEST_CASE("a speed chosen before the run is sent when it is ready") {
    TimeControlsBench bench;
    bench.time.setSpeed(3);
    CHECK(bench.fake.read("control").isEmpty());
    bench.start();
    CHECK(bench.wasSent(R"({"kind":"rate","value":5.0})"));
    CHECK(TimeControls::speedText(5) == "5 steps/s");
    CHECK(TimeControls::speedText(1) == "1 step/s");
    CHECK(TimeControls::speedText(0) == "full");
    bench.time.setSpeed(TimeControls::kFullSpeed);
    CHECK(bench.wasSent(R"({"kind":"rate","value":0.0})"));
}

TEST_CASE("a speed set by another client is shown and not sent back") {
    TimeControlsBench bench;
    const auto confirm = [&](double rate) {
        const Controlled confirmation{.command = ControlKind::kRate, .value = rate, .step = 4};
        bench.model.feed(QByteArray::fromStdString(encode(confirmation)));
    };
    bench.start();
    confirm(3);
    REQUIRE(waitFor([&] { return bench.time.stepsPerSecond() == 3; }));
    confirm(0);
    REQUIRE(waitFor([&] { return bench.time.stepsPerSecond() == 0; }));
    CHECK(bench.press(Qt::Key_Space));
    CHECK(bench.wasSent(R"({"kind":"pause"})"));
    CHECK_FALSE(bench.fake.read("control").contains("rate"));
}

TEST_CASE("the chosen speed is shown until the run has confirmed it, and kept for the next run") {
    TimeControlsBench bench;
    bench.fake.write("rate.jsonl", encode(Controlled{.command = ControlKind::kRate, .value = 2, .step = 3}));
    bench.start();
    bench.time.setSpeed(3);
    CHECK(bench.wasSent(R"({"kind":"rate","value":5.0})"));
    REQUIRE(waitFor([&] { return bench.model.data().pauses().rate() == 2; }));
    CHECK(bench.time.stepsPerSecond() == 5);
    for (const double rate : {5.0, 0.5})
        bench.model.feed(
            QByteArray::fromStdString(encode(Controlled{.command = ControlKind::kRate, .value = rate, .step = 4})));
    REQUIRE(waitFor([&] { return bench.time.stepsPerSecond() == 0.5; }));
    bench.controller.detach();
    REQUIRE(waitFor([&] { return !bench.controller.isLive(); }));
    CHECK(bench.time.stepsPerSecond() == 5);
}
