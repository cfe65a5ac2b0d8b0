// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "shards/scene/sentence_text.h"

namespace ringside {

// Explanations of how a sampler assigns its order to ranks, with the user's own numbers.

QString placeSentence(const ShardPlan& plan, GridCell cell);    // arithmetic of one cell
QString ruleSentence(const ShardPlan& plan);                    // positions that rank r uses
QString stepSentence(const ShardPlan& plan, GridCell cell);     // other samples of its step; the cell must be trained
QString mistakeSentence(const ShardPlan& plan, GridCell cell);  // effect of a mistake; empty without one
QString paddingSentence(const ShardPlan& plan);                 // repeated samples; there must be padding
QString copySentence(const ShardPlan& plan, GridCell cell);     // position of the first copy of a padded cell
QString loaderSentence(const ShardPlan& plan, int rank);        // samples that the loader's drop_last drops
QString wouldDropSentence(const ShardPlan& plan);               // samples that drop_last would drop instead of padding
// rank and slot of a dropped position without drop_last
QString withoutDropSentence(const ShardPlan& plan, std::int64_t position);

}  // namespace ringside
