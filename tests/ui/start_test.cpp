// SPDX-License-Identifier: GPL-3.0-or-later
#include <QImage>
#include <QProcess>
#include <QTemporaryDir>
#include <utility>

#include "start/start_options.h"
#include "status/run_text.h"
#include "support/catch.h"
#include "support/places.h"
#include "telemetry/data/run_data.h"

using namespace ringside;

namespace {

struct Outcome {
    int code;
    QByteArray output, error;
};

Outcome runRingside(const QStringList& arguments) {
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.remove("QT_QPA_PLATFORM");
    environment.remove("DISPLAY");
    environment.remove("WAYLAND_DISPLAY");
    process.setProcessEnvironment(environment);
    process.start(QString::fromStdString(builtProgram("ringside")), arguments);
    REQUIRE(process.waitForFinished(60000));
    return {process.exitCode(), process.readAllStandardOutput(), process.readAllStandardError()};
}

}  // namespace

TEST_CASE("options are read with = and without, in any order") {
    const auto parsed = StartOptions::parse({"a.json", "--size=1440x900", "--theme", "dark", "--screenshot", "x.png"});
    REQUIRE(parsed);
    CHECK(parsed.value().file == "a.json");
    CHECK(parsed.value().size == QSize(1440, 900));
    CHECK(parsed.value().theme == "dark");
    CHECK(parsed.value().screenshot == "x.png");
}

TEST_CASE("invalid options are reported with the valid ones") {
    CHECK(StartOptions::parse({"--size", "big"}).problem().text().find("WIDTHxHEIGHT") != std::string::npos);
    CHECK(StartOptions::parse({"--size", "99999x99999"}).problem().field == "--size");
    CHECK(StartOptions::parse({"--theme", "pink"}).problem().text().find("light or dark") != std::string::npos);
    CHECK(StartOptions::parse({"--colour"}).problem().field == "--colour");
    CHECK(StartOptions::parse({"--page"}).problem().message == "has no value");
    CHECK(StartOptions::parse({"a", "b"}).problem().field == "b");
}

TEST_CASE("a page is drawn into a file without a display in the requested size") {
    QTemporaryDir folder;
    const QString file = folder.filePath("shards.png");
    const Outcome outcome =
        runRingside({"--screenshot", file, "--page", "shards", "--size", "1440x900", "--theme", "dark"});
    INFO(outcome.error.toStdString());
    CHECK(outcome.code == 0);
    const QImage image(file);
    CHECK(image.size() == QSize(1440, 900));
    CHECK(image.pixelColor(1436, 895) == QColor(0x14171C));  // the colour of the window, below the status bar
}

TEST_CASE("the picture of any page contains the form and the ranks") {
    QTemporaryDir folder;
    const QString file = folder.filePath("page.png");
    for (const char* page : {"shards", "training", "strategy"}) {
        INFO(page);
        REQUIRE(runRingside({"--screenshot", file, "--page", page, "--size", "1024x700"}).code == 0);
        const QImage image(file);
        // True if an area was painted. Areas that are not painted are black; in the light theme, only letters are black
        // otherwise.
        const auto isPainted = [&image](int left, int top) {
            for (int i = 0; i < 10; ++i)
                if (image.pixelColor(left + i, top + i) != QColor(Qt::black)) return true;
            return false;
        };
        for (int y = 0; y + 10 < image.height(); y += 10)
            for (int x = 0; x + 10 < image.width(); x += 10) REQUIRE(isPainted(x, y));
    }
}

TEST_CASE("an unknown page is reported with the known ones") {
    const Outcome outcome = runRingside({"--screenshot", "x.png", "--page", "nope"});
    CHECK(outcome.code == 2);
    CHECK(outcome.error.contains("shards"));
}

TEST_CASE("an unreadable configuration ends with code 2 and its name") {
    const Outcome outcome = runRingside({"--screenshot", "x.png", "--config", "/nowhere.json"});
    CHECK(outcome.code == 2);
    CHECK(outcome.error.contains("/nowhere.json"));
}

TEST_CASE("a directory without a run ends with code 2 and its name at once") {
    const Outcome outcome = runRingside({"--screenshot", "x.png", "--run-dir", "/nowhere/run"});
    CHECK(outcome.code == 2);
    CHECK(outcome.error.contains("/nowhere/run"));
}

TEST_CASE("a picture that cannot be written ends with code 2") {
    CHECK(runRingside({"--screenshot", "/nowhere/x.png"}).code == 2);
}

TEST_CASE("without a display the program names the alternatives") {
    const Outcome outcome = runRingside({});
    CHECK(outcome.code == 2);
    CHECK(outcome.error.contains("ringsidectl run"));
}

TEST_CASE("the status of a stopped run counts one step in the singular") {
    RunData run;
    RunStarted started;
    started.worldSize = 1;
    started.stepsPerEpoch = 12;
    started.epochs = 10;
    run.apply(started);
    for (const auto& [step, text] : {std::pair(1, "Stopped: 1 step"), std::pair(2, "Stopped: 2 steps")}) {
        StepsFrame frame;
        frame.step = {step};
        frame.loss = {2};
        frame.samples = {32};
        frame.endUs = {step * 1000};
        run.apply(frame);
        CHECK(progressText(RunController::State::Stopped, run, {}).toStdString() == text);
    }
}

TEST_CASE("durations are shown in the largest useful unit") {
    CHECK(durationText(3.2) == "4 s");
    CHECK(durationText(125) == "2 min 5 s");
    CHECK(durationText(4800) == "1 h 20 min");
}
