// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "shards/scene/sentence_text.h"

namespace ringside {

// Explanations of how a sampler assigns its order to ranks, with the user's own numbers.

QString placeSentence(const ShardPlan& plan, GridCell cell);    // explains the calculation of the sample in one cell
QString ruleSentence(const ShardPlan& plan);                    // explains the positions that rank r uses
QString stepSentence(const ShardPlan& plan, GridCell cell);     // lists the other samples of a trained cell's step
QString mistakeSentence(const ShardPlan& plan, GridCell cell);  // explains the effect of a mistake; empty without one
QString paddingSentence(const ShardPlan& plan);                 // explains the repeated samples; there must be padding
QString copySentence(const ShardPlan& plan, GridCell cell);     // names the position of the first copy of a padded cell
QString loaderSentence(const ShardPlan& plan, int rank);  // explains the samples that the loader's drop_last drops
QString wouldDropSentence(const ShardPlan& plan);         // names the samples that drop_last would drop
// Names the rank and slot that a dropped position would have without drop_last.
QString withoutDropSentence(const ShardPlan& plan, std::int64_t position);

}  // namespace ringside
