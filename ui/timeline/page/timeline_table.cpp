// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/page/timeline_table.h"

#include <memory>
#include <vector>

#include "timeline/model/lane_spans.h"

namespace ringside {
namespace {

struct TableRow {
    std::int64_t step = 0, epoch = 0;
    int rank = 0;
    std::int64_t beginNs = 0, endNs = 0, cpuNs = 0, lateNs = 0;
    PhaseTimes times{};
};

QString inMs(std::int64_t ns) {
    return QString::number(static_cast<double>(ns) / 1e6, 'f', 6);
}

QStringList textOf(const TableRow& row) {
    QStringList fields{QString::number(row.step), QString::number(row.epoch), QString::number(row.rank),
                       inMs(row.beginNs), inMs(row.endNs - row.beginNs)};
    for (int phase = 0; phase < kPhaseCount; ++phase)
        if (phase != static_cast<int>(Phase::kConnect)) fields << inMs(row.times[static_cast<std::size_t>(phase)]);
    return fields << inMs(row.cpuNs) << inMs(row.lateNs);
}

}  // namespace

TableData timelineTable(const TraceData* trace, std::int64_t firstStep, std::int64_t lastStep) {
    TableData table;
    table.name = QStringLiteral("timeline");
    table.columns = {"step", "epoch", "rank", "begin_ms", "length_ms"};
    for (int phase = 0; phase < kPhaseCount; ++phase) {
        if (phase == static_cast<int>(Phase::kConnect)) continue;
        const std::string_view name = phaseName(static_cast<Phase>(phase));
        table.columns << QString::fromLatin1(name.data(), static_cast<qsizetype>(name.size())) + QStringLiteral("_ms");
    }
    table.columns << "cpu_ms"
                  << "late_ms";
    auto rows = std::make_shared<std::vector<TableRow>>();
    if (trace != nullptr) {
        const auto end = trace->steps().upper_bound(lastStep);
        for (auto step = trace->steps().lower_bound(firstStep); step != end; ++step) {
            for (std::size_t rank = 0; rank < step->second.ranks.size(); ++rank) {
                const RankTrace& one = step->second.ranks[rank];
                if (one.known)
                    rows->push_back({step->first, step->second.epoch, static_cast<int>(rank), one.beginNs, one.endNs,
                                     one.cpuNs, latenessOf(step->second, rank), one.times});
            }
        }
    }
    table.rows = static_cast<qint64>(rows->size());
    table.row = [rows](qint64 row) { return textOf((*rows)[static_cast<std::size_t>(row)]); };
    return table;
}

}  // namespace ringside
