// SPDX-License-Identifier: GPL-3.0-or-later
#include "ranks/rank_strip.h"

#include "models/experiment_model.h"
#include "models/run_model.h"
#include "support/catch.h"
#include "theme/theme.h"

using namespace ringside;

TEST_CASE("few ranks get full cards in one row") {
    const RankStripLayout layout = RankStripLayout::of(4, 1256);
    CHECK(layout.density == RankStripLayout::Density::Full);
    CHECK(layout.rows == 1);
    CHECK(layout.card(3).right() < 1256);
}

TEST_CASE("cards never overlap nor leave the strip, from 1 to 64 ranks") {
    for (const int width : {400, 1000, 1256, 1416, 3800}) {
        for (int ranks = 1; ranks <= 64; ++ranks) {
            const RankStripLayout layout = RankStripLayout::of(ranks, width);
            for (int rank = 0; rank < ranks; ++rank) {
                const QRect card = layout.card(rank);
                CHECK((card.left() >= 0 && card.right() < width && card.bottom() < layout.height()));
                CHECK(layout.rankAt(card.center(), ranks) == rank);
            }
            CHECK(layout.visibleHeight() <= 3 * 34 + 2 * 8 + 16);  // never more than a sixth of a small window
        }
    }
}

TEST_CASE("the space between cards belongs to no rank") {
    const RankStripLayout layout = RankStripLayout::of(4, 1000);
    CHECK(layout.rankAt({layout.card(0).right() + 3, 10}, 4) == -1);
    CHECK(layout.rankAt({-1, 10}, 4) == -1);
}

TEST_CASE("before a run there is one card per planned rank, at most 64") {
    ExperimentModel experiment;
    RunModel run;
    Theme theme;
    RankStrip strip(experiment, run, theme);
    CHECK(strip.cards().size() == 4);
    RunConfig config = experiment.config();
    config.parallel.worldSize = 1000000000;
    experiment.edit(config, "parallel.world_size");
    CHECK(strip.cards().size() == 64);
    config.parallel.worldSize = -3;
    experiment.edit(config, "parallel.world_size");
    CHECK(strip.cards().empty());
}
