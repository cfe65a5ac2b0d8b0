// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCoreApplication>
#include <QString>

#include "sampling/plan/shard_plan.h"

namespace ringside {

inline QString ledgerText(const char* source) {
    return QCoreApplication::translate("Ledger", source);
}

// What a number of the ledger means for whoever reads it, with the user's own numbers. Empty where there is nothing to
// say.
QString duplicatesSentence(const ShardPlan& plan);  // "Rank 1 trains 515 again, rank 2 532, ..."
QString bothDropLasts(const ShardSpec& spec);       // what either drop_last would cost, side by side
QString sameOrderSentence(const ShardSpec& spec);   // seed 0 in epoch 1 = seed 1 in epoch 0
QString learningRateSentence(const ShardSpec& spec, std::int64_t accumulateSteps = 1);  // the linear scaling rule

}  // namespace ringside
