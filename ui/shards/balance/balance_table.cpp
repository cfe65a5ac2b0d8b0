// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/balance/balance_table.h"

#include "shards/scene/table_fields.h"

namespace ringside {

TableData balanceTable(const ClassBalance& balance) {
    return {QStringLiteral("class-balance"),
            {"rank", "class", "samples", "expected", "low", "high", "outside"},
            qint64{balance.ranks} * balance.classes,
            [balance](qint64 row) {
                const auto rank = static_cast<int>(row / balance.classes);
                const auto label = static_cast<int>(row % balance.classes);
                const ChanceBand& band = balance.band(rank, label);
                const auto number = [](double value) { return QString::number(value, 'f', 2); };
                return QStringList{fieldText(rank),
                                   QString::fromStdString(balance.names[static_cast<std::size_t>(label)]),
                                   fieldText(balance.count(rank, label)),
                                   number(band.expected),
                                   number(band.low),
                                   number(band.high),
                                   balance.outside(rank, label) ? QStringLiteral("yes") : QStringLiteral("no")};
            }};
}

}  // namespace ringside
