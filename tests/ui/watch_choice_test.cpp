// SPDX-License-Identifier: GPL-3.0-or-later
#include "watch/watch_choice.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>

#include "support/catch.h"
#include "watch/editor_command.h"
#include "watch/interpreters.h"
#include "watch/watched_command.h"

using namespace ringside;

namespace {

void makeProgram(const QString& path) {
    QDir().mkpath(QFileInfo(path).absolutePath());
    QFile file(path);
    REQUIRE(file.open(QIODevice::WriteOnly));
    file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
}

}  // namespace

TEST_CASE("the command of each launcher is the one that a user would type") {
    WatchChoice choice{
        .script = "/s/train.py", .arguments = "--name \"two words\"", .interpreter = "/v/bin/python", .command = {}};
    CHECK(choice.words() == QStringList{"/v/bin/python", "/s/train.py", "--name", "two words"});
    CHECK(choice.folder() == "/s");
    choice.launcher = WatchLauncher::kTorchrun;
    choice.ranks = 4;
    CHECK(commandLine(choice.words()) ==
          "/v/bin/python -m torch.distributed.run --standalone --nproc_per_node 4 /s/train.py --name 'two words'");
    choice.launcher = WatchLauncher::kCommand;
    choice.command = "mpirun -n 2 python3 /t/other.py --epochs 1";
    CHECK(choice.words() == QStringList{"mpirun", "-n", "2", "python3", "/t/other.py", "--epochs", "1"});
    CHECK(choice.folder() == "/t");
    CHECK(choice.request(true).script == "/t/other.py");
    CHECK(choice.request(true).isCheck);
}

TEST_CASE("a choice that cannot run is refused with its reason") {
    const QTemporaryDir folder;
    const QString script = folder.filePath("train.py"), python = folder.filePath("python");
    makeProgram(python);
    WatchChoice choice{.script = {}, .arguments = {}, .interpreter = python, .command = {}};
    CHECK(choice.problem() == "Choose the script to watch.");
    choice.script = script;
    CHECK(choice.problem() == script + " does not exist: choose another script.");
    choice.script = folder.path();
    CHECK(choice.problem() == folder.path() + " is not a file: choose a Python script.");
    makeProgram(script);
    choice.script = script;
    CHECK(choice.problem().isEmpty());
    choice.interpreter = "/no/python";
    CHECK(choice.problem() == "/no/python is not a Python interpreter on this computer: choose another one.");
    choice.launcher = WatchLauncher::kCommand;
    CHECK(choice.problem().startsWith("Type the command"));
    choice.command = "no-such-program train.py";
    CHECK(choice.problem() == "The program no-such-program was not found: check the first word of the command.");
}

TEST_CASE("choices survive the settings file") {
    const WatchChoice choice{"/s/train.py", "--epochs 3", WatchLauncher::kTorchrun, 8, "/v/bin/python", "mpirun x"};
    WatchChoice read;
    read.takeTexts(choice.toTexts());
    CHECK(read.launcher == WatchLauncher::kTorchrun);
    CHECK(read.ranks == 8);
    CHECK(read.interpreter == "/v/bin/python");
    CHECK(read.arguments == "--epochs 3");
    CHECK(read.command == "mpirun x");
    read.takeTexts({"no launcher", "many"});
    CHECK(read.ranks == 1);
}

TEST_CASE("virtual environments beside the script come before those of the session") {
    const QTemporaryDir folder;
    const QString near = folder.filePath("project/src/.venv/bin/python");
    const QString above = folder.filePath("project/venv/bin/python");
    const QString session = folder.filePath("session/bin/python");
    for (const QString& path : {near, above, session}) makeProgram(path);
    const QString script = folder.filePath("project/src/train.py");
    CHECK(interpretersFor(script, {folder.filePath("session"), {}, session}) == QStringList{near, above, session});
    CHECK(interpretersFor({}, {{}, {}, session}) == QStringList{session});
}

TEST_CASE("known editors open the file at the line") {
    CHECK(editorCommand("code --wait", "/s/a b.py", 48) == QStringList{"code", "--wait", "-g", "/s/a b.py:48"});
    CHECK(editorCommand("/usr/bin/kate", "/s/a.py", 7) == QStringList{"/usr/bin/kate", "-l", "7", "/s/a.py"});
    CHECK(editorCommand("gedit", "/s/a.py", 7) == QStringList{"gedit", "+7", "/s/a.py"});
    CHECK_FALSE(editorCommand("vim", "/s/a.py", 7));  // no command, because vim needs a terminal
    CHECK_FALSE(editorCommand("", "/s/a.py", 7));
}

TEST_CASE("the lines of findings are relative to the folder of the script") {
    const QTemporaryDir folder;
    makeProgram(folder.filePath("code/train.py"));
    makeProgram(folder.filePath("code/lib/data.py"));
    const WatchedCommand command = watchedCommand({"torchrun", "code/train.py", "--x"}, folder.path());
    CHECK(command.script == folder.filePath("code/train.py"));
    CHECK(command.arguments == QStringList{"--x"});
    CHECK(command.pathBesideScript("lib/data.py") == folder.filePath("code/lib/data.py"));
    CHECK(command.pathBesideScript("missing.py").isEmpty());
    CHECK(watchedCommand({"train"}, folder.path()).pathBesideScript("train.py").isEmpty());
}
