// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCoreApplication>
#include <QLocale>
#include <QString>
#include <cstdint>

#include "shards/scene/loom_cell.h"
#include "shards/scene/shard_scene.h"

namespace ringside {

// What sentences about a plan are made of.

inline QString loomText(const char* source) {
    return QCoreApplication::translate("Loom", source);
}
// "1,437": how many there are.
inline QString groupedNumber(std::int64_t value) {
    return QLocale().toString(static_cast<qlonglong>(value));
}
// "1,572" or "3.4": an expected number, with a decimal below ten.
inline QString fewText(double value) {
    return QLocale().toString(value, 'f', value < 10 ? 1 : 0);
}
// "1437": a position, a sample, a number in a formula.
inline QString plainNumber(std::int64_t value) {
    return QString::number(value);
}

// "seed + epoch - 1 = 0 + 2 = 2"; with a rank's own seed "seed + epoch - 1 + rank = 0 + 2 + 1 = 3".
QString seedSum(const ShardSpec& spec, std::optional<int> rank = {});

// "padded order", "sequence of draws", ...: what the ranks deal from.
QString orderName(const ShardPlan& plan);

// Position in that order: where every rank has the whole of it, its slot.
std::int64_t orderPosition(const ShardPlan& plan, LoomCell cell);

}  // namespace ringside
