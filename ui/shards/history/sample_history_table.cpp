// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/history/sample_history_table.h"

#include "shards/scene/table_fields.h"

namespace ringside {

TableData sampleHistoryTable(const SampleHistory& history) {
    return {QStringLiteral("sample-%1").arg(history.sample),
            {"epoch", "rank", "step", "slot", "uses", "batch_mates"},
            static_cast<qint64>(history.entries.size()),
            [history](qint64 row) {
                const SampleHistoryEntry& entry = history.entries[static_cast<std::size_t>(row)];
                QStringList mates;
                std::optional<SampleSlot> first;
                if (!entry.uses.empty()) {
                    first = entry.uses.front().place;
                    for (const std::uint32_t mate : entry.uses.front().batchMates) mates << fieldText(mate);
                }
                QStringList fields{fieldText(entry.epoch)};
                fields << useFields(first) << fieldText(static_cast<std::int64_t>(entry.uses.size()))
                       << mates.join(QLatin1Char(' '));
                return fields;
            }};
}

}  // namespace ringside
