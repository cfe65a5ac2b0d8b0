// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCoreApplication>
#include <QLocale>
#include <QString>
#include <cstdint>

#include "shards/scene/grid_cell.h"
#include "shards/scene/shard_scene.h"

namespace ringside {

// Functions that return parts of sentences about a plan.

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
// Returns a number without separators for thousands, such as "1437". Used for positions, samples and formulas.
inline QString plainNumber(std::int64_t value) {
    return QString::number(value);
}

// Returns the formula of the seed: "seed + epoch - 1 = 0 + 2 = 2". With the mistake of a seed per rank:
// "seed + epoch - 1 + rank = 0 + 2 + 1 = 3".
QString seedSum(const ShardSpec& spec, std::optional<int> rank = {});

// Returns the name of the order that is assigned to ranks: "padded order", "sequence of draws", ...
QString orderName(const ShardPlan& plan);

// Returns the position of a cell in the order of orderName(). If every rank uses the complete order, this is the slot.
std::int64_t orderPosition(const ShardPlan& plan, GridCell cell);

}  // namespace ringside
