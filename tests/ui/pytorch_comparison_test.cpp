// SPDX-License-Identifier: GPL-3.0-or-later
#include "watch/pytorch_comparison.h"

#include <QClipboard>
#include <QComboBox>
#include <QDir>
#include <QGuiApplication>
#include <QLabel>
#include <cstring>

#include "base/system/files.h"
#include "run/checkpoint/checkpoint_manifest.h"
#include "support/stored_tensors.h"
#include "ui/window_fixture.h"

using namespace ringside;

namespace {

std::string stepLine(int step, double loss) {
    return Json{{"kind", "step"}, {"step", step}, {"epoch", 0}, {"loss", loss}, {"samples", 8}}.dump() + "\n";
}

// Returns the first line of a run of 2 epochs of one step each.
std::string runLine() {
    RunStarted started;
    started.worldSize = 2;
    started.stepsPerEpoch = 1;
    started.epochs = 2;
    return encode(started);
}

// Window whose fake ringsidectl and Python perform both trainings: two steps with the losses 1 and 0.5, and a weight of
// 0.25.
struct Comparison : WindowFixture {
    QString before = QDir::currentPath();

    explicit Comparison(const char* mode = "compares") : WindowFixture(mode) {
        QDir::setCurrent(fake.folder.path());
        writeRun("ringside", {1, 0.5}, 0.25F);
        writeRun("pytorch", {1, 0.5}, 0.25F);
        writeRun("script", {1, 0.5}, 0.25F);
        writePython("exit 0");
    }
    ~Comparison() { QDir::setCurrent(before); }

    std::filesystem::path path(const char* name) const { return fake.folder.filePath(name).toStdString(); }
    void writeRun(const char* name, const std::vector<double>& losses, float weight) const {
        const auto checkpoint = path(name) / "checkpoints" / "step-00000002";
        std::filesystem::create_directories(checkpoint);
        std::string lines;
        for (std::size_t i = 0; i < losses.size(); ++i) lines += stepLine(static_cast<int>(i) + 1, losses[i]);
        writeFileAtomically(path(name) / "metrics.jsonl", lines);
        writeFileAtomically(path(name) / "config.json", RunConfig().toText());
        std::string consumed;
        for (int rank = 0; rank < 2; ++rank)
            consumed += encode(Consumed{.rank = rank, .epoch = 0, .count = 8, .sha256 = std::string(64, 'a')});
        writeFileAtomically(path(name) / "telemetry.jsonl", runLine() + consumed);
        std::string bytes(sizeof weight, '\0');
        std::memcpy(bytes.data(), &weight, sizeof weight);
        writeFileAtomically(checkpoint / kWeightsName,
                            encodeSafetensors({{.name = "0.weight", .shape = {1}, .bytes = bytes}}, {}));
        CheckpointManifest manifest;
        manifest.step = 2;
        manifest.model = "Sequential";
        writeFileAtomically(checkpoint / kManifestName, manifest.toJson().dump());
    }
    void writePython(const std::string& commands) {
        fake.write("python", "#!/bin/sh\n" + commands + "\n");
        QFile(fake.folder.filePath("python")).setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        settings.set(settings::kPytorchPython, fake.folder.filePath("python"));
    }
    QString text(const char* name) { return find<QLabel>(name)->text(); }
    QString compare() {
        trigger("comparePytorchAction");
        REQUIRE(waitFor([this] { return find<QWidget>("pytorchHeadlineLabel")->isVisible(); }));
        return text("pytorchHeadlineLabel");
    }
};

}  // namespace

TEST_CASE("one click compares the experiment with PyTorch") {
    Comparison comparison;
    CHECK(comparison.compare() == "Equal: Ringside and PyTorch have trained the same model");
    const QString lines = comparison.text("pytorchLinesLabel");
    CHECK(lines.contains("equal in all 2 steps"));
    CHECK(lines.contains("in all 2 shards of rank and epoch"));
    CHECK(lines.contains("equal after step 2"));
    CHECK(lines.count(QChar(0x2713)) == 3);
    CHECK(lines.contains("The script, its output and both runs are in "));
    CHECK(comparison.fake.read("config.json").contains("digits"));  // Ringside has trained the form's experiment
    const QByteArray words = comparison.fake.read("watch_words");
    CHECK(words.contains("/python "));
    CHECK(words.contains("train.py --out "));
    const QString folder = QString::fromUtf8(words).section("--out ", 2).trimmed().section('/', 0, -2);
    QFile script(folder + "/train.py");
    REQUIRE(script.open(QIODevice::ReadOnly));
    CHECK(script.readAll().contains("import torch"));
    comparison.press("pytorchShowRunButton");
    CHECK(waitFor([&] { return comparison.window.controller().runDirectory() == folder + "/pytorch"; }));
}

TEST_CASE("the first step and the first tensor that differ are shown with their ratio") {
    Comparison comparison;
    comparison.writeRun("pytorch", {1, 0.25}, 0.25F);
    comparison.writeRun("script", {1, 0.25}, 0.125F);
    CHECK(comparison.compare() == "Different: Ringside and PyTorch have not trained the same model");
    const QString lines = comparison.text("pytorchLinesLabel");
    CHECK(lines.contains("differ from step 2 on: 0.5 in Ringside, 0.25 in PyTorch, PyTorch's is 0.5 times Ringside's"));
    CHECK(lines.contains("tensor 0.weight differs after step 2"));
    CHECK(lines.contains("the norm of PyTorch's tensor is 0.5 times that of Ringside's"));
    CHECK(lines.count(QChar(0x2717)) == 2);
    comparison.press("pytorchCopyButton");
    CHECK(QGuiApplication::clipboard()->text().startsWith("Different: "));
}

TEST_CASE("runs with equal losses but without common checkpoints are not reported as equal") {
    Comparison comparison;
    std::filesystem::remove_all(comparison.path("script") / "checkpoints");
    CHECK(comparison.compare().startsWith("Not compared completely"));
    CHECK(comparison.text("pytorchLinesLabel").contains("not compared: the runs have no checkpoint of the same step"));
}

TEST_CASE("a finished run of the experiment is not trained again") {
    Comparison comparison("finishes");
    comparison.fake.write("config.json", RunConfig().toText());
    REQUIRE(comparison.window.openRun(comparison.fake.folder.path()));
    REQUIRE(waitFor([&] { return comparison.state() == RunController::State::Finished; }));
    comparison.writeRun(".", {1, 0.5}, 0.25F);
    std::filesystem::remove_all(comparison.path("ringside"));
    comparison.fake.setMode("compares");
    CHECK(comparison.compare().startsWith("Equal"));
    CHECK(comparison.text("pytorchAboutLabel").startsWith("The run "));
    CHECK(comparison.text("pytorchLinesLabel").contains("The script, its output and PyTorch's run are in "));
}

TEST_CASE("an interpreter without PyTorch is named, and another one can be chosen") {
    Comparison comparison;
    comparison.writePython("echo \"ModuleNotFoundError: No module named 'torch'\" >&2; exit 1");
    comparison.trigger("comparePytorchAction");
    REQUIRE(waitFor([&] { return comparison.text("pytorchStageLabel").contains("has no PyTorch"); }));
    CHECK(comparison.text("pytorchStageLabel") ==
          comparison.fake.folder.filePath("python") +
              " has no PyTorch: choose another interpreter, or install PyTorch into this one.");
    CHECK(comparison.find<QPushButton>("pytorchStartButton")->isVisible());
    CHECK_FALSE(QDir(comparison.fake.folder.filePath("runs")).exists());  // no run directory is left
    auto* interpreter = comparison.find<QComboBox>("pytorchInterpreterCombo");
    CHECK(interpreter->isEnabled());
    interpreter->setEditText("/no/python");
    comparison.press("pytorchStartButton");
    CHECK(waitFor([&] {
        return comparison.text("pytorchStageLabel") ==
               "/no/python could not be started: choose a Python interpreter with PyTorch.";
    }));
    comparison.press("pytorchCloseButton");
    CHECK_FALSE(comparison.find<QWidget>("pytorchDialog")->isVisible());
}

TEST_CASE("Cancel ends the training and removes its files") {
    Comparison comparison("trains");
    comparison.trigger("comparePytorchAction");
    REQUIRE(waitFor([&] { return comparison.text("pytorchStageLabel") == "Ringside trains the experiment: step 7"; }));
    CHECK_FALSE(comparison.find<QPushButton>("pytorchCloseButton")->isVisible());
    comparison.press("pytorchCancelButton");
    REQUIRE(waitFor([&] { return !comparison.fake.read("run_end").isEmpty(); }));
    CHECK(waitFor([&] { return QDir(comparison.fake.folder.filePath("runs")).isEmpty(); }));
    CHECK(comparison.find<QPushButton>("pytorchStartButton")->isVisible());
    CHECK_FALSE(comparison.find<QWidget>("pytorchProgressBar")->isVisible());
}

TEST_CASE("a comparison that is cancelled while it writes the script leaves no folder") {
    const Comparison fixture;
    bool hasEnded = false;
    {
        PytorchComparison comparison(fixture.fake.folder.filePath("ringsidectl"));
        QObject::connect(&comparison, &PytorchComparison::failed, [&] { hasEnded = true; });
        QObject::connect(&comparison, &PytorchComparison::finished, [&] { hasEnded = true; });
        bool isCancelled = false;
        // Queued, so that it is executed after the work has begun and before its result can arrive.
        QObject::connect(
            &comparison, &PytorchComparison::progressed, &comparison,
            [&](PytorchComparison::Stage stage) {
                if (stage != PytorchComparison::Stage::kExport || isCancelled) return;
                isCancelled = true;
                comparison.cancel();
            },
            Qt::QueuedConnection);
        comparison.start(
            {RunConfig(), fixture.fake.folder.filePath("ringside"), fixture.fake.folder.filePath("python")});
        REQUIRE(waitFor([&] { return isCancelled; }));
        CHECK_FALSE(comparison.isRunning());
    }
    CHECK_FALSE(hasEnded);
    CHECK(QDir(fixture.fake.folder.filePath("runs")).isEmpty());
}

TEST_CASE("an experiment that PyTorch cannot train is refused with the reason") {
    Comparison comparison;
    RunConfig config = comparison.window.experiment().config();
    config.stepPitfalls.sumGradients = true;
    comparison.window.experiment().edit(config, "pitfalls");
    comparison.trigger("comparePytorchAction");
    CHECK(waitFor([&] {
        return comparison.text("pytorchStageLabel").startsWith("This experiment cannot be compared with PyTorch: ");
    }));
    CHECK(comparison.fake.read("config.json").isEmpty());  // the refusal comes before any training
}

TEST_CASE("the planned and the recorded steps of a run are read from its directory") {
    const Comparison comparison;
    const QString run = comparison.fake.folder.filePath("ringside");
    CHECK(lastRecordedStep(run) == 2);
    CHECK(plannedSteps(run) == 2);  // 2 epochs of one step
    CHECK(lastRecordedStep("/no/run") == 0);
    CHECK(plannedSteps("/no/run") == 0);
}
