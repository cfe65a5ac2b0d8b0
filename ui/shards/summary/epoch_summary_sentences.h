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

// Explanations of numbers in the summary, with the user's own numbers. Empty if there is nothing to explain.
// Returns, for example, "Rank 1 trains on sample 515 again, rank 2 on 532, ...".
QString duplicatesSentence(const ShardPlan& plan);
// Returns "3 samples on each rank", or "3 on 2 ranks and 2 on 2 ranks" if ranks have different numbers of samples.
QString loaderDropsText(const ShardNumbers& numbers);
QString bothDropLasts(const ShardSpec& spec);      // compares what both drop_last settings would drop
QString sameOrderSentence(const ShardSpec& spec);  // explains why seed 0, epoch 1 equals seed 1, epoch 0
QString learningRateSentence(const ShardSpec& spec, std::int64_t accumulateSteps = 1);  // explains linear scaling

}  // namespace ringside
