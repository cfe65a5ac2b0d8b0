// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "shards/scene/sentence_text.h"

namespace ringside {

// Functions that explain in sentences how a sampler assigns its order to ranks. The sentences contain the numbers of
// the user's experiment.

QString positionSentence(const ShardPlan& plan, GridCell cell);  // explains how the sampler calculates a cell's sample
// states which positions of the order a rank r uses, as a rule for any r
QString ruleSentence(const ShardPlan& plan);
QString stepSentence(const ShardPlan& plan, GridCell cell);     // states which samples (slots of a rank, positions
                                                                // in the order) the step of a trained cell uses
QString mistakeSentence(const ShardPlan& plan, GridCell cell);  // explains the effect of a mistake in the use of the
                                                                // sampler on a cell; empty without a mistake
QString paddingSentence(const ShardPlan& plan);                 // explains which samples are repeated; the plan must
                                                                // have padding
QString copySentence(const ShardPlan& plan, GridCell cell);     // states where the sample of a padded cell is used
                                                                // first: position, rank, slot and step
QString loaderSentence(const ShardPlan& plan, int rank);  // explains how many samples the loader's drop_last drops
// States which samples drop_last of the sampler would drop if it were on.
QString wouldDropSentence(const ShardPlan& plan);
// Explains to which rank and slot a dropped position would be assigned without the sampler's drop_last.
QString withoutDropSentence(const ShardPlan& plan, std::int64_t position);

}  // namespace ringside
