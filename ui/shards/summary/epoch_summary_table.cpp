// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/summary/epoch_summary_table.h"

#include "shards/scene/table_fields.h"

namespace ringside {

TableData epochSummaryTable(const QList<EpochSummaryRow>& rows) {
    return {QStringLiteral("summary"), {"name", "value", "meaning"}, rows.size(), [rows](qint64 row) {
                return QStringList{rows[row].name, rows[row].value, rows[row].tip};
            }};
}

}  // namespace ringside
