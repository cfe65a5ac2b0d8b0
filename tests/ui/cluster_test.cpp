// SPDX-License-Identifier: GPL-3.0-or-later
#include <QDir>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QTest>

#include "cluster/invite_dialog.h"
#include "cluster/job_queue_text.h"
#include "cluster/join_dialog.h"
#include "cluster/launch_dialog.h"
#include "models/experiment_model.h"
#include "support/catch.h"
#include "ui/fake_dialogs.h"
#include "ui/wait_for.h"

using namespace ringside;

namespace {

QString scriptIn(const QTemporaryDir& directory, const char* name, const QByteArray& text) {
    QFile file(directory.filePath(QString::fromLatin1(name)));
    REQUIRE(file.open(QIODevice::WriteOnly));
    file.write("#!/bin/sh\n" + text);
    file.close();
    REQUIRE(file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
    return file.fileName();
}

template <class T>
T* findIn(const QDialog& dialog, const char* name) {
    T* found = dialog.findChild<T*>(QString::fromLatin1(name));
    REQUIRE(found);
    return found;
}

const QString kCode = QStringLiteral("10.0.0.7:21345/008J4-CT4AN-K7F24-SNAXW-SQFEZ-W");

// Changes to a new working directory, which is also the first one in PATH, so that scripts in it replace other
// programs.
struct Elsewhere {
    QTemporaryDir directory;
    QString before = QDir::currentPath();
    QByteArray path = qgetenv("PATH");

    Elsewhere() {
        QDir::setCurrent(directory.path());
        qputenv("PATH", directory.path().toUtf8() + ":" + path);
    }
    ~Elsewhere() {
        QDir::setCurrent(before);
        qputenv("PATH", path);
    }
};

}  // namespace

TEST_CASE("a mistyped join code is reported next to its field, and a valid one with a name can join") {
    const QTemporaryDir directory;
    auto* dialog =
        new JoinDialog(scriptIn(directory, "ringsidectl",
                                "read code; echo \"$@\" and $code > " + directory.filePath("said").toUtf8() +
                                    "\necho '{\"kind\":\"joined\",\"text\":\"joined as Ada\",\"number\":0}'\n"
                                    "echo '{\"kind\":\"rank\",\"text\":\"rank 2 of 4\",\"number\":2}'\n"
                                    "echo '{\"kind\":\"news\",\"text\":\"step 7\",\"number\":0}'\nsleep 60\n"));
    dialog->show();
    auto* button = findIn<QPushButton>(*dialog, "joinButton");
    findIn<QLineEdit>(*dialog, "joinNameEdit")->setText(QStringLiteral("Ada"));
    findIn<QLineEdit>(*dialog, "joinCodeEdit")->setText(QStringLiteral("10.0.0.7"));
    CHECK_FALSE(button->isEnabled());
    CHECK(findIn<QLabel>(*dialog, "joinProblemLabel")->text().contains(QStringLiteral("has no \"/\"")));
    findIn<QLineEdit>(*dialog, "joinCodeEdit")->setText(kCode);
    REQUIRE(button->isEnabled());
    const int fieldHeight = findIn<QLineEdit>(*dialog, "joinCodeEdit")->height();
    button->click();
    CHECK(waitFor([&] {
        return findIn<QLabel>(*dialog, "joinStateLabel")->text() == QStringLiteral("Training as rank 2 of 4") &&
               findIn<QLabel>(*dialog, "joinNewsLabel")->text() == QStringLiteral("step 7");
    }));
    CHECK(button->isHidden());
    // The field keeps its height after the window has grown.
    CHECK(findIn<QLineEdit>(*dialog, "joinCodeEdit")->height() == fieldHeight);
    QFile said(directory.filePath("said"));
    REQUIRE(said.open(QIODevice::ReadOnly));
    // The code is passed over standard input, because other users can read command lines.
    CHECK(said.readAll().trimmed() == "join - --name=Ada --lines and " + kCode.toUtf8());
    delete dialog;
}

TEST_CASE("a classroom shows its code and guests, starts on request, and shows its run in the window") {
    const QTemporaryDir directory;
    ExperimentModel experiment;
    const QByteArray member =
        "\"members\":[{\"name\":\"Ada\",\"address\":\"10.0.0.3\",\"state\":\"ready\",\"rank\":-1},"
        "{\"name\":\"Bo\",\"address\":\"10.0.0.4\",\"state\":\"away\",\"rank\":-1}]";
    auto* dialog = new InviteDialog(
        experiment,
        scriptIn(directory, "ringsidectl",
                 "echo '{\"kind\":\"code\",\"code\":\"" + kCode.toUtf8() + "\",\"wanted\":4}'\n" +
                     "echo '{\"kind\":\"class\",\"phase\":\"waiting\",\"wanted\":4,\"news\":\"2 of 4 are here\"," +
                     member + "}'\nread wish; echo $wish > " + directory.filePath("wish").toUtf8() +
                     "\necho '{\"kind\":\"run\",\"directory\":\"/runs/x\"}'\nsleep 60\n"));
    QString run;
    QObject::connect(dialog, &InviteDialog::runBegan, dialog, [&](const QString& begun) { run = begun; });
    dialog->show();
    findIn<QPushButton>(*dialog, "openClassButton")->click();
    REQUIRE(waitFor([&] { return dialog->code() == kCode; }));
    auto* start = findIn<QPushButton>(*dialog, "startClassButton");
    REQUIRE(waitFor([&] { return start->isEnabled(); }));
    auto* list = findIn<QListWidget>(*dialog, "classMembersList");
    REQUIRE(list->count() == 2);
    CHECK(list->item(0)->text() == QStringLiteral("Ada   ready   10.0.0.3"));
    CHECK(list->item(1)->text() == QStringLiteral("Bo   not connected   10.0.0.4"));
    start->click();
    CHECK(waitFor([&] { return run == QStringLiteral("/runs/x"); }));
    QFile wish(directory.filePath("wish"));
    REQUIRE(wish.open(QIODevice::ReadOnly));
    CHECK(wish.readAll().trimmed() == "start");
    delete dialog;
}

TEST_CASE("a classroom hides its code when its run has ended, because no computer can join any more") {
    const QTemporaryDir directory;
    ExperimentModel experiment;
    auto* dialog = new InviteDialog(
        experiment, scriptIn(directory, "ringsidectl",
                             "echo '{\"kind\":\"code\",\"code\":\"" + kCode.toUtf8() +
                                 "\",\"wanted\":2}'\nread wish\n"
                                 "echo '{\"kind\":\"over\",\"text\":\"finished 1 epoch\",\"code\":0}'\n"));
    dialog->show();
    findIn<QPushButton>(*dialog, "openClassButton")->click();
    REQUIRE(waitFor([&] { return dialog->code() == kCode; }));
    for (const char* name : {"joinCodeLabel", "joinHowLabel"}) CHECK(findIn<QLabel>(*dialog, name)->isVisible());
    CHECK(findIn<QrView>(*dialog, "qrView")->isVisible());
    auto* start = findIn<QPushButton>(*dialog, "startClassButton");
    start->setEnabled(true);
    start->click();
    REQUIRE(waitFor([&] { return findIn<QLabel>(*dialog, "classNoteLabel")->text() == "finished 1 epoch"; }));
    for (const char* name : {"joinCodeLabel", "joinHowLabel"}) CHECK_FALSE(findIn<QLabel>(*dialog, name)->isVisible());
    CHECK_FALSE(findIn<QrView>(*dialog, "qrView")->isVisible());
    CHECK_FALSE(findIn<QPushButton>(*dialog, "copyCodeButton")->isVisible());
    CHECK(findIn<QPushButton>(*dialog, "closeClassButton")->isVisible());
    delete dialog;
}

TEST_CASE("the script of each launcher is shown with its fields and problems") {
    const Elsewhere elsewhere;
    ExperimentModel experiment;
    FakeDialogs dialogs;
    auto* dialog = new LaunchDialog(experiment, dialogs, QStringLiteral("/opt/ringside/ringsidectl"));
    dialog->show();
    auto* ways = findIn<QListWidget>(*dialog, "launchWaysList");
    REQUIRE(ways->count() == 6);
    CHECK(findIn<QPushButton>(*dialog, "launchButton")->text() == QStringLiteral("Run"));
    CHECK(findIn<QPushButton>(*dialog, "saveScriptButton")->isHidden());
    ways->setCurrentRow(2);
    findIn<QSpinBox>(*dialog, "launchNodesSpin")->setValue(2);
    findIn<QSpinBox>(*dialog, "launchMinutesSpin")->setValue(90);
    CHECK(dialog->script().contains(QStringLiteral("#SBATCH --nodes=2\n#SBATCH --ntasks-per-node=2 ")));
    CHECK(dialog->script().contains(QStringLiteral("#SBATCH --time=01:30:00")));
    CHECK(dialog->script().contains(QStringLiteral("/opt/ringside/ringside-worker")));
    findIn<QSpinBox>(*dialog, "launchNodesSpin")->setValue(3);
    CHECK(findIn<QLabel>(*dialog, "launchProblemLabel")->text() ==
          QStringLiteral("Nodes is 3, over which 4 ranks (World size) cannot be spread evenly: choose a number that "
                         "divides 4"));
    CHECK_FALSE(findIn<QPushButton>(*dialog, "launchButton")->isEnabled());
    ways->setCurrentRow(1);
    ways->setFocus();
    QTest::keyClick(ways, Qt::Key_Tab);
    CHECK(dialog->focusWidget() == findIn<QLineEdit>(*dialog, "launchHostsEdit"));
    findIn<QLineEdit>(*dialog, "launchHostsEdit")->setText(QStringLiteral("a, b"));
    CHECK(dialog->script().contains(QStringLiteral("a:2,b:2")));
    CHECK(findIn<QSpinBox>(*dialog, "launchNodesSpin")->isHidden());
    dialogs.path = elsewhere.directory.filePath("mine/job.sh");
    findIn<QPushButton>(*dialog, "saveScriptButton")->click();
    CHECK(QFile::exists(dialogs.path));
    CHECK(QFile::exists(elsewhere.directory.filePath("mine/experiment.json")));
    delete dialog;
}

TEST_CASE(
    "the command for a terminal names a file that has the settings of the form, or reports that no file has them") {
    const Elsewhere elsewhere;
    ExperimentModel experiment;
    FakeDialogs dialogs;
    auto* dialog = new LaunchDialog(experiment, dialogs, QStringLiteral("/opt/ringside/ringsidectl"));
    dialog->show();
    CHECK(dialog->script() ==
          QStringLiteral("# The experiment is not saved to a file, so no terminal command can run it.\n"
                         "# Save the experiment, and the terminal command appears here."));
    const QString path = elsewhere.directory.filePath("my digits.json");
    QFile file(path);
    REQUIRE(file.open(QIODevice::WriteOnly));
    file.close();
    experiment.setSaved(path);
    CHECK(dialog->script() ==
          QStringLiteral("# Command for the same run in a terminal:\n/opt/ringside/ringsidectl run '%1'").arg(path));
    RunConfig changed = experiment.config();
    changed.training.epochs = 3;
    experiment.edit(changed, QStringLiteral("training.epochs"));
    CHECK(dialog->script().startsWith(
        QStringLiteral("# The file %1 is older than the settings in the form.\n").arg(path)));
    experiment.undoStack().undo();
    CHECK(dialog->script().contains(QStringLiteral("ringsidectl run ")));
    REQUIRE(QFile::remove(path));
    experiment.setSaved(path);
    CHECK(dialog->script().startsWith(QStringLiteral("# The file %1 no longer exists.\n").arg(path)));
    delete dialog;
}

TEST_CASE("a submitted job is watched in the queue until its run begins") {
    const Elsewhere elsewhere;
    // Fake queue: the job is pending at the first query; then it makes its run directory.
    scriptIn(elsewhere.directory, "sbatch",
             "pwd > " + elsewhere.directory.filePath("where").toUtf8() + "\necho 'Submitted batch job 17'\n");
    scriptIn(elsewhere.directory, "squeue",
             "if [ -e asked ]; then mkdir -p runs/x; touch runs/x/telemetry.jsonl; fi\ntouch asked\n"
             "[ \"$3\" = 17 ] && echo 'PENDING|Resources'\n");
    ExperimentModel experiment;
    FakeDialogs dialogs;
    auto* dialog = new LaunchDialog(experiment, dialogs, QStringLiteral("/opt/ringside/ringsidectl"));
    QString run;
    QObject::connect(dialog, &LaunchDialog::runBegan, &experiment, [&](const QString& begun) { run = begun; });
    dialog->setAttribute(Qt::WA_DeleteOnClose, false);
    dialog->show();
    findIn<QListWidget>(*dialog, "launchWaysList")->setCurrentRow(2);
    auto* button = findIn<QPushButton>(*dialog, "launchButton");
    REQUIRE(button->isEnabled());
    CHECK(button->text() == QStringLiteral("Submit"));
    button->click();
    CHECK(waitFor([&] {
        return findIn<QLabel>(*dialog, "launchStateLabel")->text() == QStringLiteral("Job 17 is pending: Resources");
    }));
    CHECK_FALSE(button->isEnabled());
    CHECK(waitFor([&] { return run.endsWith(QStringLiteral("/runs/x")); }));
    QFile where(elsewhere.directory.filePath("where"));
    REQUIRE(where.open(QIODevice::ReadOnly));
    const QString folder = QString::fromUtf8(where.readAll().trimmed());
    CHECK(QFile::exists(folder + QStringLiteral("/job.sh")));
    CHECK(QFile::exists(folder + QStringLiteral("/experiment.json")));
    delete dialog;
}

TEST_CASE("the output of queues is parsed, and missing information is not guessed") {
    // Output of Slurm 22.05 and OpenPBS 23.
    CHECK(jobIdIn(JobLauncher::kSlurm, "Submitted batch job 4242\n") == QStringLiteral("4242"));
    CHECK(jobIdIn(JobLauncher::kSlurm, "sbatch: error: no\n").isEmpty());
    CHECK(jobIdIn(JobLauncher::kPbs, "1234.server\n") == QStringLiteral("1234.server"));
    const JobState waiting = jobStateIn(JobLauncher::kSlurm, "PENDING|Resources\n");
    CHECK(waiting.waits);
    CHECK(waiting.text == QStringLiteral("pending: Resources"));
    const JobState running = jobStateIn(JobLauncher::kSlurm, "RUNNING|None\n");
    CHECK(running.runs);
    CHECK(running.text == QStringLiteral("running"));
    CHECK_FALSE(jobStateIn(JobLauncher::kSlurm, "").known);
    const JobState held =
        jobStateIn(JobLauncher::kPbs, "Job Id: 1\n    job_state = Q\n    comment = Not Running: no nodes\n");
    CHECK(held.waits);
    CHECK(held.text == QStringLiteral("queued: Not Running: no nodes"));
    CHECK_FALSE(jobStateIn(JobLauncher::kPbs, "qstat: unknown job").known);
}
