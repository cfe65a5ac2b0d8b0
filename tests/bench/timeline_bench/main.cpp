// SPDX-License-Identifier: GPL-3.0-or-later
// Measures the time to paint the Timeline page while the user pans and zooms: 64 ranks x 2,000 steps, and 16 ranks in
// lanes.
#include <QApplication>
#include <QCommandLineParser>
#include <cstdio>

#include "../frame_times.h"
#include "models/step_cursor.h"
#include "theme/theme.h"
#include "timeline/page/timeline_page.h"
#include "ui/traced_run.h"

using namespace ringside;

namespace {

void drain(const RunModel& run) {
    while (!run.isDrained()) QApplication::processEvents();
}

void measure(int ranks, int steps, int frames) {
    Theme theme;
    theme.setMode(Theme::Mode::Light);
    RunModel run;
    StepCursor cursor;
    TimelinePage page(run, cursor, theme, {});
    page.resize(1440, 800);
    page.show();
    TracedRun traced(run, ranks, ranks / 2);
    for (int done = 0; done < steps; done += 50) {
        traced.steps(std::min(50, steps - done));
        drain(run);
    }
    page.model().read();
    TimelineModel& model = page.model();
    std::printf("%d ranks, %zu steps\n", ranks, model.trace()->steps().size());
    QImage picture(page.size(), QImage::Format_RGB32);
    const auto pan = [&](const char* name) {
        FrameTimes times;
        for (int frame = 0; frame < frames; ++frame) {
            times.measure([&] {
                model.pan((frame % 2 == 0 ? 0.02 : -0.013) * model.span());
                page.render(&picture);
            });
        }
        times.print(name);
    };
    model.showSteps(steps / 2, steps / 2 + 1);
    pan("  pan, 2 steps in sight");
    model.showSteps(steps / 2, steps / 2 + 20);
    pan("  pan, 20 steps in sight");
    model.fit();
    pan("  pan, all steps in sight");
}

}  // namespace

int main(int argc, char** argv) {
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
    const QApplication app(argc, argv);
    QCommandLineParser parser;
    const QCommandLineOption quick(QStringLiteral("quick"));
    parser.addOption(quick);
    parser.process(app);
    const bool isQuick = parser.isSet(quick);
    measure(64, isQuick ? 200 : 2000, isQuick ? 5 : 120);
    measure(16, isQuick ? 200 : 2000, isQuick ? 5 : 120);
    return 0;
}
