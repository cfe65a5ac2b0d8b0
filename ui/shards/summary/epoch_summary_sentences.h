// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCoreApplication>
#include <QString>

#include "sampling/plan/shard_numbers.h"
#include "sampling/plan/shard_plan.h"

namespace ringside {

inline QString epochSummaryText(const char* source) {
    return QCoreApplication::translate("Summary", source);
}

// Functions that explain numbers of the summary in sentences, with the numbers of the user's experiment. They return an
// empty text if there is nothing to explain.

// Returns which ranks repeat samples: "rank 1 trains on sample 515 again, rank 2 trains on sample 532 again."
QString duplicatesSentence(const ShardPlan& plan);
// Returns how many samples the loader drops: "3 samples on each rank", or "3 on 2 ranks and 2 on 2 ranks" if ranks have
// different numbers of samples.
QString loaderDropsText(const ShardNumbers& numbers);
QString bothDropLasts(const ShardSpec& spec);      // compares the numbers of samples that drop_last of the sampler and
                                                   // drop_last of the loader would drop if they were on
QString sameOrderSentence(const ShardSpec& spec);  // explains that seed 0 in epoch 2 has the same order as seed 1 in
                                                   // epoch 1
// Explains linear scaling of the learning rate.
QString learningRateSentence(const ShardSpec& spec, std::int64_t accumulateSteps = 1);

}  // namespace ringside
