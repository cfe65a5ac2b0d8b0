// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "ranks/rank_strip_layout.h"

class QPainter;

namespace ringside {

class Theme;

// What one card of the strip says.
struct RankCard {
    enum class Tone { Plain, Good, Danger };

    int rank = 0;
    QString mark;  // top right: "in sync", "ready", "failed"
    Tone tone = Tone::Plain;
    QString line;         // "CPU 0, batch 32, loss 0.412"
    QString phase;        // bottom left
    QString rate;         // bottom right: "1,642 samples/s"
    QString loss;         // for small cards
    double progress = 0;  // of the run, 0..1
    QString tip;          // everything, in words

    bool operator==(const RankCard&) const = default;
};

void paintRankCard(QPainter& painter, const QRect& rect, const RankCard& card, RankStripLayout::Density density,
                   const Theme& theme);

}  // namespace ringside
