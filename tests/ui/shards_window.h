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

// The Shards page with the digits assigned to four ranks, as it opens.
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
    // The view's own: those of A/B and the diff come first once their view has been raised.
    ringside::GridWidget& grid() { return *page.findChild<ringside::GridView*>()->findChild<ringside::GridWidget*>(); }
    void choose(const char* button) { page.findChild<QAbstractButton*>(QLatin1String(button))->click(); }
    QString text(const char* name) { return page.findChild<QLabel*>(QLatin1String(name))->text(); }
    // Whether the explanation comes to contain the words.
    bool says(const char* words) {
        return waitFor([&] {
            return text("explanationLabel").contains(QLatin1String(words)) ||
                   text("explanationTitleLabel").contains(QLatin1String(words));
        });
    }
    // Uses this number of training samples; nothing else about them matters.
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
