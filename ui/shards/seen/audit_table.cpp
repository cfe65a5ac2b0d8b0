// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/seen/audit_table.h"

#include <QCoreApplication>
#include <algorithm>

namespace ringside {
namespace {

QString auditWords(const char* text) {
    return QCoreApplication::translate("AuditTable", text);
}

QString number(const std::optional<std::int64_t>& value) {
    return value ? QString::number(*value) : QString();
}

void addRanks(QStringList& row, const EpochSamples& epoch, std::size_t ranks) {
    if (ranks <= kMaxRankColumns) {
        for (std::size_t rank = 0; rank < ranks; ++rank)
            row << (rank < epoch.perRank.size() ? QString::number(epoch.perRank[rank]) : QString());
        return;
    }
    const auto [least, most] =
        std::ranges::minmax(epoch.perRank.empty() ? std::vector<std::int64_t>{0} : epoch.perRank);
    row << (least == most ? QString::number(least) : auditWords("%1 to %2").arg(least).arg(most));
}

QStringList rowOf(const EpochSamples& epoch, bool training, std::size_t ranks) {
    QStringList row{training ? auditWords("training") : auditWords("validation"),
                    QString::fromStdString(epoch.loader),
                    QString::number(epoch.epoch + 1),
                    QString::number(epoch.assigned),
                    number(epoch.distinct),
                    number(epoch.twice),
                    number(epoch.never)};
    addRanks(row, epoch, ranks);
    QString why = QString::fromStdString(epoch.why);
    if (why.isEmpty() && !epoch.finished) why = auditWords("the epoch was not finished");
    return row << why;
}

std::vector<const EpochSamples*> allEpochs(const SummarySamples& audit) {
    std::vector<const EpochSamples*> all;
    for (const auto* epochs : {&audit.train, &audit.val})
        for (const EpochSamples& epoch : *epochs) all.push_back(&epoch);
    return all;
}

QString ranksText(const EpochSamples& epoch) {
    if (epoch.perRank.empty()) return {};
    const auto [least, most] = std::ranges::minmax(epoch.perRank);
    if (least == most) return auditWords("%1 each").arg(least);
    if (epoch.perRank.size() > kMaxRankColumns) return auditWords("%1 to %2").arg(least).arg(most);
    QStringList numbers;
    for (const std::int64_t one : epoch.perRank) numbers << QString::number(one);
    return numbers.join(QStringLiteral(", "));
}

}  // namespace

TableData auditTable(const SummarySamples& audit) {
    std::size_t ranks = 0;
    for (const auto* epochs : {&audit.train, &audit.val})
        for (const EpochSamples& epoch : *epochs) ranks = std::max(ranks, epoch.perRank.size());
    TableData table{.name = QStringLiteral("samples"),
                    .columns = {auditWords("Use"), auditWords("Loader"), auditWords("Epoch"), auditWords("Assigned"),
                                auditWords("Distinct"), auditWords("Twice"), auditWords("Never")},
                    .rows = static_cast<qint64>(audit.train.size() + audit.val.size()),
                    .row = {}};
    if (ranks > kMaxRankColumns) table.columns << auditWords("Each rank");
    for (std::size_t rank = 0; rank < ranks && ranks <= kMaxRankColumns; ++rank)
        table.columns << auditWords("Rank %1").arg(rank);
    table.columns << auditWords("Remark");
    table.row = [audit, ranks](qint64 row) {
        const auto at = static_cast<std::size_t>(row);
        const bool training = at < audit.train.size();
        return rowOf(training ? audit.train[at] : audit.val[at - audit.train.size()], training, ranks);
    };
    return table;
}

TableData narrowAuditTable(const SummarySamples& audit) {
    const std::vector<const EpochSamples*> all = allEpochs(audit);
    const bool hasUse = !audit.train.empty() && !audit.val.empty();
    const bool hasLoader =
        std::ranges::any_of(all, [&](const EpochSamples* one) { return one->loader != all.front()->loader; });
    QStringList columns;
    if (hasUse) columns << auditWords("Use");
    if (hasLoader) columns << auditWords("Loader");
    columns << auditWords("Epoch") << auditWords("Assigned") << auditWords("Distinct") << auditWords("Twice")
            << auditWords("Never") << auditWords("By rank") << auditWords("Remark");
    QList<QStringList> rows;
    for (std::size_t at = 0; at < all.size(); ++at) {
        QStringList row = rowOf(*all[at], at < audit.train.size(), 0);
        row.insert(row.size() - 1, ranksText(*all[at]));
        if (!hasLoader) row.removeAt(1);
        if (!hasUse) row.removeAt(0);
        rows << row;
    }
    return tableOf(QStringLiteral("samples"), columns, std::move(rows));
}

}  // namespace ringside
