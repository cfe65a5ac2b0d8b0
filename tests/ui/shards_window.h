// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractButton>
#include <QLabel>

#include "models/experiment_model.h"
#include "models/plan_model.h"
#include "models/run_model.h"
#include "shards/grid/grid_view.h"
#include "shards/grid/grid_widget.h"
#include "shards/page/shards_page.h"
#include "support/catch.h"
#include "theme/theme.h"
#include "wait_for.h"

// The Shards page in its initial state, with the digits assigned to four ranks.
struct ShardsWindow {
    ringside::Theme theme;
    ringside::ExperimentModel experiment;
    ringside::PlanModel plan{experiment};
    ringside::RunModel run;
    ringside::ShardsPage page{experiment, plan, run, theme};

    ShardsWindow() {
        theme.setMode(ringside::Theme::Mode::Light);
        page.resize(1100, 680);
        page.show();
        REQUIRE(waitFor([this] { return plan.plan() != nullptr; }));
    }
    // Returns the grid of the main view. A search from the page could find those of the A/B and difference views, which
    // come first once they have been raised.
    ringside::GridWidget& grid() { return *page.findChild<ringside::GridView*>()->findChild<ringside::GridWidget*>(); }
    void choose(const char* button) { page.findChild<QAbstractButton*>(QLatin1String(button))->click(); }
    QString text(const char* name) { return page.findChild<QLabel*>(QLatin1String(name))->text(); }
    // Waits until the explanation contains the words. Returns false if it does not within the time of waitFor().
    bool shows(const char* words) {
        return waitFor([&] {
            return text("explanationLabel").contains(QLatin1String(words)) ||
                   text("explanationTitleLabel").contains(QLatin1String(words));
        });
    }
    // Changes the experiment to synthetic data with this number of training samples.
    void useSamples(std::int64_t samples) {
        ringside::RunConfig config = experiment.config();
        config.dataset.kind = ringside::DatasetKind::kSynthetic;
        config.dataset.shape = ringside::SyntheticShape::kBlobs;
        config.dataset.size = samples + samples / 999 + 1;  // 0.1 %, rounded up, are kept for validation
        config.dataset.validationFraction = 0.001;
        config.dataset.features = 2;
        experiment.edit(config, "dataset.kind");
        REQUIRE(waitFor([&] { return plan.plan() && plan.plan()->spec().datasetSize == samples; }));
    }
};
