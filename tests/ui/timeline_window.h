// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QPushButton>

#include "models/run_model.h"
#include "models/step_cursor.h"
#include "support/catch.h"
#include "theme/theme.h"
#include "timeline/lanes/lanes_widget.h"
#include "timeline/page/timeline_page.h"
#include "wait_for.h"

// The Timeline page in its initial state.
struct Timeline {
    ringside::Theme theme;
    ringside::RunModel run;
    ringside::StepCursor cursor;
    ringside::TimelinePage page;

    explicit Timeline(const QString& control = QStringLiteral("/nonexistent/ringsidectl"))
        : page(run, cursor, theme, control) {
        page.resize(1100, 640);
        page.show();
    }
    template <class Widget>
    Widget& part(const char* name) {
        return *page.findChild<Widget*>(QLatin1String(name));
    }
    QString text(const char* label) { return part<QLabel>(label).text(); }
    ringside::TimelineModel& model() { return page.model(); }
    bool shows(std::int64_t step) {
        return waitFor([&] {
            const auto& stretches = model().clock().stretches();
            return !stretches.empty() && stretches.back().lastStep == step;
        });
    }
    // Selects "as fast as the others", waits for the prediction, and checks the prediction by a run.
    QString checkByRunning() {
        part<QPushButton>("whatIfButton").click();
        REQUIRE(waitFor([&] { return text("whatIfResultLabel") == "13.0 ms per step (mean)"; }));
        REQUIRE(waitFor([&] { return part<QPushButton>("proveButton").isEnabled(); }));
        part<QPushButton>("proveButton").click();
        REQUIRE(waitFor([&] { return part<QLabel>("checkResultLabel").isVisible(); }));
        return text("checkResultLabel");
    }
    ringside::LanesWidget& lanes() { return part<ringside::LanesWidget>("timelineLanesArea"); }
};
