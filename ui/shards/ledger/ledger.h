// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QString>

#include "sampling/findings/coverage.h"
#include "sampling/plan/shard_plan.h"

namespace ringside {

enum class Tone { Normal, Good, Warning, Danger };

struct LedgerRow {
    QString name;
    QString value;
    Tone tone = Tone::Normal;
    QString tip;  // what the number means, with the formula
};

// The arithmetic of one epoch. coverage may be null while it is being counted.
// accumulateSteps: training.accumulate_steps.
// What is counted one by one is not there at once.
struct LedgerCounts {
    const Coverage* coverage = nullptr;
    std::optional<qint64> unique = {};  // samples seen in this epoch
    bool changesByEpoch = true;         // another epoch deals another order
    QString sameOrderReason = {};       // why it does not
    qint64 ranks = 0;                   // in all, where several of them are one reader; 0: each rank reads
    qint64 devices = 1;                 // that a reader cuts its batches up among (data_parallel)
};
QList<LedgerRow> ledgerRows(const ShardPlan& plan, const LedgerCounts& counts, qint64 epochs,
                            qint64 accumulateSteps = 1);

}  // namespace ringside
