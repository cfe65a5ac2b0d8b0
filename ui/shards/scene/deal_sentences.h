// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "shards/scene/sentence_text.h"

namespace ringside {

// How a sampler deals its order to the ranks, with the user's own numbers.

QString placeSentence(const ShardPlan& plan, LoomCell cell);    // the arithmetic of one cell
QString ruleSentence(const ShardPlan& plan);                    // which positions rank r takes
QString stepSentence(const ShardPlan& plan, LoomCell cell);     // what else its step takes; it is trained
QString mistakeSentence(const ShardPlan& plan, LoomCell cell);  // what a pitfall does to it; else empty
QString paddingSentence(const ShardPlan& plan);                 // which samples are repeated; there is padding
QString copySentence(const ShardPlan& plan, LoomCell cell);     // where a padded cell's first copy is
QString loaderSentence(const ShardPlan& plan, int rank);        // what the loader's drop_last leaves out
QString wouldDropSentence(const ShardPlan& plan);               // what drop_last would do instead of padding
QString withoutDropSentence(const ShardPlan& plan, std::int64_t position);  // where a dropped position would go

}  // namespace ringside
