// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include "sampling/findings/plan_damage.h"
#include "shards/scene/explanation.h"
#include "shards/scene/shard_table.h"

namespace ringside {

// Samples that an assignment uses, repeats and misses, compared with chance and with the same experiment without
// mistakes.
struct DamageReport {
    struct Measures {
        PlanDamage epoch;  // of the selected epoch
        qint64 neverSeen = 0;
        double expectedNeverSeen = -1;  // -1: no formula is known
        qint64 epochs = 0;              // number of epochs in which neverSeen was counted
    };
    Measures here;
    std::optional<Measures> healthy;       // without the mistakes; empty if there are none
    std::optional<qint64> identicalEpoch;  // another epoch with the same order

    // Return the samples that two different ranks share: average and maximum over all pairs of the matrix.
    static double meanOverlap(const PlanDamage& damage);
    static qint64 largestOverlap(const PlanDamage& damage);
};

// Computes the report. Counts fewer epochs if there would be more than kLargestWork samples in total.
DamageReport damageReport(const ShardScene& scene, const std::atomic<bool>& stop);

// One number of the report as a row: "Never used in 10 epochs", 24, "23.7", 0.
struct DamageRow {
    QString name;
    QString here;
    QString expected;
    QString healthy;  // empty without mistakes
    bool bad = false;
    QString tip;
};
QList<DamageRow> damageRows(const ShardScene& scene, const DamageReport& report);

Explanation explainDamage(const ShardScene& scene, const DamageReport& report);
ShardTable damageTable(const ShardScene& scene, const DamageReport& report);

}  // namespace ringside
