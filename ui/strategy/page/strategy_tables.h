// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QStringList>

#include "strategy/scene/strategy_scene.h"

namespace ringside {

// Numbers of a picture as rows, in the C locale.
struct StrategyTable {
    QString name;  // base name of the file: "strategy-memory"
    QStringList columns;
    QList<QStringList> rows;

    QStringList csvLines() const;  // RFC 4180
};

StrategyTable holdsTable(const StrategyScene& scene);     // rank, place, layer, and its bytes of each kind of state
StrategyTable memoryTable(const StrategyScene& scene);    // rank, class, predicted, measured
StrategyTable curvesTable(const StrategyScene& scene);    // rank, time, bytes in use by class, and allocated bytes
StrategyTable meshTable(const StrategyScene& scene);      // from, to, content, bytes per step
StrategyTable scheduleTable(const StrategyScene& scene);  // planned and actual: lane, block, begin, end
StrategyTable linksTable(const StrategyScene& scene);     // rank, content, bytes per step, predicted and measured

}  // namespace ringside
