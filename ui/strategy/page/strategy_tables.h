// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QStringList>

#include "strategy/scene/strategy_scene.h"

namespace ringside {

// A picture's numbers as rows, in the C locale.
struct StrategyTable {
    QString name;  // of a file: "strategy-memory"
    QStringList columns;
    QList<QStringList> rows;

    QStringList csvLines() const;  // RFC 4180
};

StrategyTable holdsTable(const StrategyScene& scene);     // rank, place, layer, and the bytes it holds of each
StrategyTable memoryTable(const StrategyScene& scene);    // rank, class, predicted, measured
StrategyTable curvesTable(const StrategyScene& scene);    // rank, when, bytes in use by class, and taken
StrategyTable meshTable(const StrategyScene& scene);      // from, to, what, bytes a step
StrategyTable scheduleTable(const StrategyScene& scene);  // planned and ran, lane, block, begin, end
StrategyTable linksTable(const StrategyScene& scene);     // rank, what, bytes a step, predicted and counted

}  // namespace ringside
