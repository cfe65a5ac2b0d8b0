// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCoreApplication>
#include <QLocale>
#include <QString>
#include <cstdint>

#include "shards/scene/grid_cell.h"
#include "shards/scene/shard_scene.h"

namespace ringside {

// Parts of sentences about a plan.

inline QString gridText(const char* source) {
    return QCoreApplication::translate("Grid", source);
}
// Returns a count with separators for thousands, such as "1,437".
inline QString groupedNumber(std::int64_t value) {
    return QLocale().toString(static_cast<qlonglong>(value));
}
// Returns an expected number, with a decimal below ten: "1,572" or "3.4".
inline QString shortNumberText(double value) {
    return QLocale().toString(value, 'f', value < 10 ? 1 : 0);
}
// Returns a position, a sample or a number in a formula: "1437".
inline QString plainNumber(std::int64_t value) {
    return QString::number(value);
}

// Returns "seed + epoch - 1 = 0 + 2 = 2"; with a seed per rank "seed + epoch - 1 + rank = 0 + 2 + 1 = 3".
QString seedSum(const ShardSpec& spec, std::optional<int> rank = {});

// Returns the name of the order that is assigned to ranks: "padded order", "sequence of draws", ...
QString orderName(const ShardPlan& plan);

// Returns the position in the order of orderName(); the slot if every rank uses the complete order.
std::int64_t orderPosition(const ShardPlan& plan, GridCell cell);

}  // namespace ringside
