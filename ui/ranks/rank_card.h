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
    QString host;  // name of the rank's host (computer), or of the person who runs the rank; empty: this computer
    QString mark;  // status of the rank, shown at the top right, such as "in sync", "ready" or "failed"
    Tone tone = Tone::Plain;
    QString line;         // text in the middle of the card, such as "CPU 0, batch 32, loss 0.412"
    QString phase;        // present phase of the rank, shown at the bottom left
    QString rate;         // throughput, such as "1,642 samples/s", shown at the bottom right
    QString loss;         // loss of the rank, shown on small cards only
    double progress = 0;  // progress of the run, 0..1
    int litPhase = -1;    // index (0-4) of the current phase, shown instead of the progress; -1: the progress is shown
    QString tip;          // tool tip with all details

    bool operator==(const RankCard&) const = default;
};

// Draws cards of the same size. Draws the frame, which is equal on all cards, only once and copies it, because drawing
// a frame takes longer than drawing the texts.
class RankCardPainter {
  public:
    explicit RankCardPainter(const Theme& theme) : m_theme(theme) {}

    void clearCache() { m_frame = {}; }  // removes the cached frame; call when the theme has changed
    void paint(QPainter& painter, const QRect& rect, const RankCard& card, RankStripLayout::Density density);
    // True if a card of the smallest kind (Density::Mini) with this width in pixels has room for the rank's number and
    // the loss side by side.
    static bool fitsMini(const RankCard& card, int width, const Theme& theme);

  private:
    void paintFrame(QPainter& painter, const QRect& rect, const RankCard& card);

    const Theme& m_theme;
    QPixmap m_frame;  // cached frame of a card of a rank that has not failed
};

}  // namespace ringside
