// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include "sampling/findings/plan_damage.h"
#include "shards/scene/explanation.h"
#include "shards/scene/shard_table.h"

namespace ringside {

// What a deal reaches and repeats, beside what chance gives and what the same experiment without mistakes does.
struct DamageReport {
    struct Measures {
        PlanDamage epoch;  // of the epoch in sight
        qint64 neverSeen = 0;
        double expectedNeverSeen = -1;  // -1: no formula is known
        qint64 epochs = 0;              // over which neverSeen was counted
    };
    Measures here;
    std::optional<Measures> healthy;       // without the mistakes; none when there are none
    std::optional<qint64> identicalEpoch;  // another epoch that has the very same order

    // Samples that two different ranks share: mean and most over all pairs of the matrix.
    static double meanOverlap(const PlanDamage& damage);
    static qint64 largestOverlap(const PlanDamage& damage);
};

// Bounded work: past kLargestWork samples fewer epochs are counted.
DamageReport damageReport(const ShardScene& scene, const std::atomic<bool>& stop);

// One number of the report as a row: "Never seen in 10 epochs", 24, "23.7", 0.
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
