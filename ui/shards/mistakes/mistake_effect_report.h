// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include "sampling/findings/assignment_effects.h"
#include "shards/scene/explanation.h"
#include "tables/table_data.h"

namespace ringside {

// Numbers of samples that an assignment uses, repeats and misses, with the numbers expected by chance and the numbers
// of the same experiment without mistakes.
struct MistakeEffectReport {
    struct Measures {
        AssignmentEffects epoch;  // effects in the selected epoch
        qint64 neverSeen = 0;
        double expectedNeverSeen = -1;  // expected number of samples never seen; -1: no formula is known
        qint64 epochs = 0;              // number of epochs in which neverSeen was counted
    };
    Measures here;
    std::optional<Measures> withoutMistakes;  // measures without the mistakes; empty if there are no mistakes, or no
                                              // valid plan without them
    std::optional<qint64> identicalEpoch;     // number of another epoch with the same order; empty if there is none

    // Return the average and the largest number of samples that two ranks have in common, over all pairs of ranks.
    static double meanOverlap(const AssignmentEffects& effects);
    static qint64 largestOverlap(const AssignmentEffects& effects);
};

// Computes the report. If all epochs together have more than kLargestWork samples, counts the samples of fewer epochs.
MistakeEffectReport mistakeEffectReport(const ShardScene& scene, const std::atomic<bool>& stop);

// Row of the report's table: name, value, value expected by chance, value without the mistakes. For example "Never used
// in 10 epochs", 24, "23.7", 0.
struct MistakeEffectRow {
    QString name;
    QString here;
    QString expected;
    QString withoutMistakes;  // value without the mistakes; empty if the experiment has no mistakes
    bool bad = false;
    QString tip;
};
QList<MistakeEffectRow> mistakeEffectRows(const ShardScene& scene, const MistakeEffectReport& report);

Explanation explainMistakeEffect(const ShardScene& scene, const MistakeEffectReport& report);
TableData mistakeEffectTable(const ShardScene& scene, const MistakeEffectReport& report);

}  // namespace ringside
