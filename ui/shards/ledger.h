// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QString>

#include "sampling/shard_plan.h"
#include "shards/coverage.h"

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
QList<LedgerRow> ledgerRows(const ShardPlan& plan, const Coverage* coverage, qint64 epochs, qint64 accumulateSteps = 1);

}  // namespace ringside
