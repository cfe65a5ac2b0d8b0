// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPixmap>
#include <QString>

#include "ranks/rank_strip_layout.h"

class QPainter;

namespace ringside {

class Theme;

// Content of one card of the rank strip.
struct RankCard {
    enum class Tone { Plain, Good, Warning, Danger };
    static constexpr int kPhases = 5;  // number of phases on a card: data, forward, backward, all-reduce, optimizer

    int rank = 0;
    QString host;  // host of the rank, or name of the person who runs the rank; empty: this host
    QString mark;  // status of the rank at the top right: "in sync", "ready", "failed"
    Tone tone = Tone::Plain;
    QString line;         // line in the middle, such as "CPU 0, batch 32, loss 0.412"
    QString phase;        // phase of the rank, at the bottom left
    QString rate;         // throughput at the bottom right, such as "1,642 samples/s"
    QString loss;         // loss of the rank, on small cards
    double progress = 0;  // progress of the run, 0..1
    int litPhase = -1;    // current phase among the five of a step, shown instead of the progress; -1: none
    QString tip;          // tool tip with all details

    bool operator==(const RankCard&) const = default;
};

// Draws cards of one size. The frame that all cards share is drawn once and copied, because it costs more than the
// texts.
class RankCardPainter {
  public:
    explicit RankCardPainter(const Theme& theme) : m_theme(theme) {}

    void clearCache() { m_frame = {}; }  // drops the cached pictures; call when the theme changed
    void paint(QPainter& painter, const QRect& rect, const RankCard& card, RankStripLayout::Density density);
    // True if a card with Density::Mini of this width in pixels has room for the rank and the loss side by side.
    static bool fitsMini(const RankCard& card, int width, const Theme& theme);

  private:
    void paintFrame(QPainter& painter, const QRect& rect, const RankCard& card);

    const Theme& m_theme;
    QPixmap m_frame;  // cached frame of a card of a rank that has not failed
};

}  // namespace ringside
