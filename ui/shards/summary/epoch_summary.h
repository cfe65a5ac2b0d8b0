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

// Arithmetic of one epoch. coverage may be null while it is computed. accumulateSteps: training.accumulate_steps.
// Counted values are empty until they are available.
struct EpochSummaryCounts {
    const Coverage* coverage = nullptr;
    std::optional<qint64> unique = {};  // number of distinct samples in this epoch
    bool changesByEpoch = true;         // true if other epochs have another order
    QString sameOrderReason = {};       // reason why all epochs have the same order; empty if they differ
    qint64 ranks = 0;    // number of all ranks, if several of them train on the same samples; 0: each rank has its own
    qint64 devices = 1;  // number of devices over which a rank splits its batches (data_parallel)
};
QList<EpochSummaryRow> epochSummaryRows(const ShardPlan& plan, const EpochSummaryCounts& counts, qint64 epochs,
                                        qint64 accumulateSteps = 1);

}  // namespace ringside
