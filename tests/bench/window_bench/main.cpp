// SPDX-License-Identifier: Apache-2.0
// Measures how long single events keep the window busy while 8 ranks train at full speed and the Training page is
// visible.
// Usage: QT_QPA_PLATFORM=offscreen window_bench [epochs]
#include <QApplication>
#include <QTemporaryDir>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

#include "dialogs/qt_dialogs.h"
#include "main_window/main_window.h"
#include "settings/settings.h"
#include "support/places.h"
#include "theme/theme.h"

using namespace ringside;

namespace {

double wallMs() {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double threadMs() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

// Measures the time of every event from delivery to return, during which the window cannot respond.
class TimedApplication final : public QApplication {
  public:
    using QApplication::QApplication;
    std::vector<double> wall, thread;

    bool notify(QObject* receiver, QEvent* event) override {
        if (m_depth > 0) return QApplication::notify(receiver, event);
        ++m_depth;
        const double wallFrom = wallMs();
        const double threadFrom = threadMs();
        const bool taken = QApplication::notify(receiver, event);
        wall.push_back(wallMs() - wallFrom);
        thread.push_back(threadMs() - threadFrom);
        --m_depth;
        return taken;
    }

  private:
    int m_depth = 0;
};

void print(const char* what, std::vector<double> times) {
    std::sort(times.begin(), times.end());
    const auto at = [&](double share) {
        return times[static_cast<std::size_t>(share * static_cast<double>(times.size() - 1))];
    };
    std::printf("%-22s %6zu events   median %6.2f ms   p99 %6.2f ms   longest %6.2f ms\n", what, times.size(), at(0.5),
                at(0.99), times.back());
}

}  // namespace

int main(int argc, char** argv) {
    TimedApplication application(argc, argv);
    const QTemporaryDir folder;
    Theme theme;
    theme.setMode(Theme::Mode::Light);
    Settings settings(folder.filePath("window.ini"));
    QtDialogs dialogs;
    MainWindow window({theme, settings, dialogs, QString::fromStdString(builtProgram("ringsidectl"))});
    window.resize(1280, 800);
    window.show();
    window.pages().show("training");

    RunConfig config;
    config.parallel.worldSize = 8;
    config.training.epochs = argc > 1 ? std::atoi(argv[1]) : 2000;
    QObject::connect(&window.controller(), &RunController::stateChanged, &window, [&](RunController::State state) {
        if (window.controller().isLive()) return;
        std::printf("state %d: %s\n", static_cast<int>(state), qPrintable(window.controller().message()));
        application.quit();
    });
    application.wall.clear();  // discards the times of the first display of the window
    application.thread.clear();
    window.controller().start(config, folder.filePath("run"));
    application.exec();
    if (application.wall.empty()) return 1;
    print("wall clock", application.wall);
    print("this thread's CPU time", application.thread);
    return 0;
}
