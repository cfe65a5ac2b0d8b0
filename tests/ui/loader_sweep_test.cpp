// SPDX-License-Identifier: GPL-3.0-or-later
#include <QCoreApplication>
#include <QFile>
#include <QLabel>
#include <QPointer>
#include <QPushButton>
#include <QTemporaryDir>

#include "loading/loader_sweep_dialog.h"
#include "models/experiment_model.h"
#include "support/catch.h"
#include "theme/theme.h"
#include "ui/wait_for.h"

using namespace ringside;

namespace {

// Returns the path of a script that replaces `ringsidectl sweep`.
QString program(const QTemporaryDir& directory, const char* script) {
    QFile file(directory.filePath(QStringLiteral("ringsidectl")));
    REQUIRE(file.open(QIODevice::WriteOnly));
    file.write("#!/bin/sh\ncat > /dev/null\n");
    file.write(script);
    file.close();
    REQUIRE(file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
    return file.fileName();
}

constexpr const char* kMeasured =
    "echo '{\"kind\":\"loader_sweep\",\"data\":\"ten samples\",\"cpus\":2}'\n"
    "echo '{\"kind\":\"loader_rate\",\"num_workers\":0,\"samples\":100,\"batches\":10,\"seconds\":2}'\n"
    "echo '{\"kind\":\"loader_rate\",\"num_workers\":2,\"samples\":400,\"batches\":40,\"seconds\":2}'\n";

struct Window {
    Theme theme;
    ExperimentModel model;
    QPointer<LoaderSweepDialog> dialog;

    explicit Window(const QString& controlProgram) : dialog(new LoaderSweepDialog(model, theme, controlProgram)) {
        dialog->show();
    }
    ~Window() { delete dialog; }
    template <class T>
    T* find(const char* name) {
        return dialog->findChild<T*>(QString::fromLatin1(name));
    }
    // True if the closed dialog was deleted. Outside of the event loop, deferred deletions must be executed explicitly.
    bool isGone() {
        return waitFor([&] {
            QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
            return dialog.isNull();
        });
    }
    QString status() { return find<QLabel>("loaderSweepStatusLabel")->text(); }
};

}  // namespace

TEST_CASE("the measured number of workers is put into the experiment") {
    const QTemporaryDir directory;
    Window window(program(directory, (std::string(kMeasured) +
                                      "echo '{\"kind\":\"loader_advice\",\"num_workers\":2,\"text\":\"2 workers\"}'\n")
                                         .c_str()));
    auto* use = window.find<QPushButton>("useWorkersButton");
    CHECK_FALSE(use->isEnabled());
    REQUIRE(waitFor([&] { return use->isEnabled(); }));
    CHECK(use->text() == QStringLiteral("Use 2"));
    CHECK(window.status() == QStringLiteral("2 workers."));
    const auto& curves = window.find<LiveChart>("loaderSweepChart")->curves();
    REQUIRE(curves.size() == 1);
    REQUIRE(curves[0].points.size() == 2);
    CHECK(curves[0].points[0] == CurvePoint{.x = 0, .y = 50});
    CHECK(curves[0].points[1] == CurvePoint{.x = 2, .y = 200});
    use->click();
    CHECK(window.model.config().loader.numWorkers == 2);
    CHECK(window.isGone());
}

TEST_CASE("a failed measurement is reported, and a closed dialog does not change the experiment") {
    const QTemporaryDir directory;
    Window window(program(directory, "echo 'ringsidectl: dataset.path is empty: name the file' >&2\nexit 2\n"));
    REQUIRE(waitFor([&] { return window.status().contains(QStringLiteral("File is empty: name the file")); }));
    CHECK_FALSE(window.find<QPushButton>("useWorkersButton")->isEnabled());
    window.find<QPushButton>("closeSweepButton")->click();
    CHECK(window.isGone());
    CHECK(window.model.config() == RunConfig());
}

TEST_CASE("a missing program is named") {
    Window window(QStringLiteral("/nowhere/ringsidectl"));
    REQUIRE(waitFor([&] { return window.status().contains(QStringLiteral("/nowhere/ringsidectl")); }));
}

TEST_CASE("closing the dialog ends the measurement") {
    const QTemporaryDir directory;
    const QString pidFile = directory.filePath(QStringLiteral("pid"));
    Window window(program(directory, (std::string(kMeasured) + "echo $$ > '" + pidFile.toStdString() + ".new'\nmv '" +
                                      pidFile.toStdString() + ".new' '" + pidFile.toStdString() + "'\nexec sleep 600\n")
                                         .c_str()));
    REQUIRE(waitFor([&] { return QFile::exists(pidFile); }));
    QFile file(pidFile);
    REQUIRE(file.open(QIODevice::ReadOnly));
    const QString process = QStringLiteral("/proc/") + QString::fromLatin1(file.readAll().trimmed());
    REQUIRE(QFile::exists(process));
    window.dialog->close();
    CHECK(window.isGone());
    CHECK(waitFor([&] { return !QFile::exists(process); }));
}
