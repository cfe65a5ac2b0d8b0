// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPixmap>
#include <QString>

#include "ranks/rank_strip_layout.h"

class QPainter;

namespace ringside {

class Theme;

// What one card of the strip says.
struct RankCard {
    enum class Tone { Plain, Good, Warning, Danger };
    static constexpr int kPhases = 5;  // data, forward, backward, all-reduce, optimizer

    int rank = 0;
    QString host;  // where it runs, or who runs it there; empty: here
    QString mark;  // top right: "in sync", "ready", "failed"
    Tone tone = Tone::Plain;
    QString line;         // "CPU 0, batch 32, loss 0.412"
    QString phase;        // bottom left
    QString rate;         // bottom right: "1,642 samples/s"
    QString loss;         // for small cards
    double progress = 0;  // of the run, 0..1
    int litPhase = -1;    // of the step's five phases, instead of the progress; -1: none
    QString tip;          // everything, in words

    bool operator==(const RankCard&) const = default;
};

// Draws cards of one size. What all of them share is drawn once and copied: a frame costs more than the words in it.
class RankCardPainter {
  public:
    explicit RankCardPainter(const Theme& theme) : m_theme(theme) {}

    void forget() { m_frame = {}; }  // the theme has changed
    void paint(QPainter& painter, const QRect& rect, const RankCard& card, RankStripLayout::Density density);
    // True if the smallest card of this width has room for the card's rank and loss.
    static bool fitsMini(const RankCard& card, int width, const Theme& theme);

  private:
    void paintFrame(QPainter& painter, const QRect& rect, const RankCard& card);

    const Theme& m_theme;
    QPixmap m_frame;  // of a card that has not failed
};

}  // namespace ringside
