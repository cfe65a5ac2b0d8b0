// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QString>

#include "sampling/findings/coverage.h"
#include "sampling/plan/shard_plan.h"

namespace ringside {

enum class Tone { Normal, Good, Warning, Danger };

struct EpochSummaryRow {
    QString name;
    QString value;
    Tone tone = Tone::Normal;
    QString tip;  // meaning of the number, with its formula
};

// Values about an epoch that epochSummaryRows() cannot compute from the plan. They are empty or null until they have
// been counted. accumulateSteps: value of training.accumulate_steps.
struct EpochSummaryCounts {
    const Coverage* coverage = nullptr;
    std::optional<qint64> unique = {};  // number of distinct samples in this epoch
    bool changesByEpoch = true;         // true if other epochs have another order
    QString sameOrderReason = {};       // reason why all epochs have the same order; empty if they differ
    qint64 ranks = 0;    // number of ranks if several of them train on the same samples; 0 if each rank trains on its
                         // own samples
    qint64 devices = 1;  // number of devices over which a rank splits its batches (data_parallel)
};
QList<EpochSummaryRow> epochSummaryRows(const ShardPlan& plan, const EpochSummaryCounts& counts, qint64 epochs,
                                        qint64 accumulateSteps = 1);

}  // namespace ringside
