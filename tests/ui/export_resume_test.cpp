// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of the export to plain PyTorch and of resuming a run, in the window.
#include <QAction>
#include <QFile>

#include "base/json/json.h"
#include "dialogs/dialogs.h"
#include "main_window/main_window.h"
#include "settings/settings.h"
#include "support/catch.h"
#include "theme/theme.h"
#include "ui/fake_run.h"
#include "ui/wait_for.h"

using namespace ringside;
using State = RunController::State;

namespace {

struct ChosenPath final : Dialogs {
    QString path;
    int savesAsked = 0;
    void openFile(const QString&, const QString&, const QString&, PathTaken taken) override { taken(path); }
    void saveFile(const QString&, const QString&, const QString&, PathTaken taken) override {
        ++savesAsked;
        taken(path);
    }
    void openFolder(const QString&, const QString&, PathTaken taken) override { taken(path); }
    void showQuestion(const Question&, AnswerTaken) override {}
};

struct Fixture {
    FakeRun fake;
    Theme theme;
    Settings settings{fake.folder.filePath("window.ini")};
    ChosenPath dialogs;
    MainWindow window{{theme, settings, dialogs, FakeRun::program()}};

    explicit Fixture(const char* mode = "finishes") : fake(mode) {
        window.show();
        REQUIRE(waitFor([this] { return window.experiment().data() != nullptr; }));
    }
    QAction* action(const char* name) {
        auto* found = window.findChild<QAction*>(QString::fromLatin1(name));
        REQUIRE(found != nullptr);
        return found;
    }
};

}  // namespace

TEST_CASE("the experiment is exported as a script with its data, and the notice shows how to run it") {
    Fixture f;
    f.dialogs.path = f.fake.folder.filePath("train.py");
    f.action("exportScriptAction")->trigger();
    REQUIRE(waitFor([&] { return f.window.noticeText().startsWith("Exported."); }));
    CHECK(f.window.noticeText().contains("train.py --out DIR"));
    CHECK(f.fake.read("train.py").contains("DistributedDataParallel"));
    CHECK(QFile::exists(f.fake.folder.filePath("train-data.csv.gz")));
    CHECK(f.window.noticeText().contains("train-data.csv.gz in the same folder"));
    CHECK(f.dialogs.savesAsked == 1);
}

TEST_CASE("an experiment that cannot be exported is refused with the remedy, and nothing is written") {
    Fixture f;
    RunConfig config = f.window.experiment().config();
    config.pitfalls.doubleSharding = true;
    f.window.experiment().edit(config, "pitfalls.double_sharding");
    f.dialogs.path = f.fake.folder.filePath("train.py");
    f.action("exportScriptAction")->trigger();
    REQUIRE(waitFor([&] { return f.window.noticeText().startsWith("Not exported:"); }));
    CHECK(f.window.noticeText().contains("switch them off"));
    CHECK_FALSE(QFile::exists(f.dialogs.path));
    CHECK(f.dialogs.savesAsked == 0);
}

// 1,437 digits in batches of 32 leave a batch of 29, which PyTorch's pipeline stages do not accept.
TEST_CASE("an export that the data prevent is refused before the file dialog") {
    Fixture f;
    RunConfig config = f.window.experiment().config();
    config.parallel.strategy = StrategyKind::kPipeline;
    config.parallel.worldSize = 2;
    f.window.experiment().edit(config, "parallel.strategy");
    f.action("exportScriptAction")->trigger();
    REQUIRE(waitFor([&] { return f.window.noticeText().startsWith("Not exported:"); }));
    CHECK(f.window.noticeText().contains("29 of 32 samples"));
    CHECK(f.dialogs.savesAsked == 0);
}

TEST_CASE("a read-only folder is named when exporting") {
    Fixture f;
    f.dialogs.path = f.fake.folder.filePath("nowhere/train.py");
    f.action("exportScriptAction")->trigger();
    REQUIRE(waitFor([&] { return f.window.noticeText().startsWith("Not exported:"); }));
    CHECK(f.window.noticeText().contains("nowhere"));
}

TEST_CASE("a stopped run with a checkpoint can be resumed with the settings of the form") {
    Fixture f("lives");
    f.fake.write("stopped.jsonl", encode(CheckpointSaved{40, "checkpoints/step-00000040", 2}) +
                                      FakeRun::end(RunOutcome::kStopped, 20, "stopped by request after step 40"));
    CHECK_FALSE(f.action("resumeAction")->isEnabled());
    f.action("runAction")->trigger();
    REQUIRE(waitFor([&] { return f.window.controller().state() == State::Running; }));
    CHECK_FALSE(f.action("resumeAction")->isEnabled());
    f.action("stopAction")->trigger();
    REQUIRE(waitFor([&] { return f.window.controller().state() == State::Stopped; }));
    CHECK(f.window.noticeText() == "The run was stopped. Its checkpoint is kept.");
    REQUIRE(f.action("resumeAction")->isEnabled());

    RunConfig config = f.window.experiment().config();
    config.training.epochs = 30;
    f.window.experiment().edit(config, "training.epochs");
    f.fake.setMode("refuses");
    f.action("resumeAction")->trigger();
    REQUIRE(waitFor([&] { return f.window.controller().state() == State::Failed; }));
    REQUIRE(f.action("resumeAction")->isEnabled());  // the run is still on screen
    f.fake.setMode("finishes");
    f.action("resumeAction")->trigger();
    REQUIRE(waitFor([&] { return f.window.controller().state() == State::Finished; }));
    const Json sent = parseJson(f.fake.read("config.json").toStdString(), "config.json").value();
    CHECK(sent["training"]["resume"] == f.fake.folder.path().toStdString());
    CHECK(sent["training"]["epochs"] == 30);
    CHECK(f.window.experiment().config().training.resume.empty());
    CHECK_FALSE(f.action("resumeAction")->isEnabled());  // the fake run wrote no checkpoint
}
