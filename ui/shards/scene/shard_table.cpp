// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/scene/shard_table.h"

#include <QLocale>
#include <QSaveFile>
#include <algorithm>

namespace ringside {
namespace {

constexpr qint64 kRowsBetweenStops = 1024;
constexpr qsizetype kMostShown = 120;  // characters of a cell on screen, because a table lays out the complete text

QString quoted(QString field) {
    const bool plain = std::ranges::none_of(field, [](QChar c) {
        return c == QLatin1Char(',') || c == QLatin1Char('"') || c == QLatin1Char('\n') || c == QLatin1Char('\r');
    });
    if (plain) return field;
    return QLatin1Char('"') + field.replace(QLatin1Char('"'), QStringLiteral("\"\"")) + QLatin1Char('"');
}

QByteArray csvLine(const QStringList& fields) {
    QString line;
    for (const QString& field : fields) {
        if (&field != &fields.front()) line += QLatin1Char(',');
        line += quoted(field);
    }
    return line.toUtf8() + '\n';
}

}  // namespace

QString writeCsv(const ShardTable& table, const QString& file, const std::atomic<bool>& stop) {
    QSaveFile out(file);
    const auto failure = [&] {
        return QObject::tr("%1 cannot be written (%2): free space or choose another directory")
            .arg(file, out.errorString());
    };
    if (!out.open(QIODevice::WriteOnly)) return failure();
    bool fits = out.write(csvLine(table.columns)) >= 0;
    for (qint64 row = 0; row < table.rows && fits; ++row) {
        if (row % kRowsBetweenStops == 0 && stop) {
            out.cancelWriting();
            return QObject::tr("%1 was not written: saving was cancelled").arg(file);
        }
        fits = out.write(csvLine(table.row(row))) >= 0;
    }
    if (fits && out.flush() && out.commit()) return {};  // commit() alone does not detect that the end was not written
    out.flush();                                         // repeats a failed write to get its error
    return failure();
}

void ShardTableModel::setTable(ShardTable table) {
    beginResetModel();
    m_table = std::move(table);
    m_page = std::min(m_page, pageCount() - 1);
    m_cachedRow = -1;
    endResetModel();
}

void ShardTableModel::setPage(qint64 page) {
    beginResetModel();
    m_page = std::clamp<qint64>(page, 0, pageCount() - 1);
    m_cachedRow = -1;
    endResetModel();
}

int ShardTableModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(std::min(m_table.rows - firstRow(), kPageRows));
}

int ShardTableModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_table.columns.size());
}

QVariant ShardTableModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || role != Qt::DisplayRole) return {};
    if (m_cachedRow != index.row()) {
        m_cached = m_table.row(firstRow() + index.row());
        m_cachedRow = index.row();
    }
    const QString field = m_cached.value(index.column());
    return field.size() <= kMostShown ? field : field.left(kMostShown) + QStringLiteral("...");
}

bool ShardTableModel::isNumeric(int column) const {
    if (m_table.rows == 0) return false;
    bool number = false;
    m_table.row(0).value(column).toDouble(&number);
    return number;
}

QVariant ShardTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (role == Qt::TextAlignmentRole && orientation == Qt::Horizontal) {
        return static_cast<int>(Qt::AlignVCenter | (isNumeric(section) ? Qt::AlignRight : Qt::AlignLeft));
    }
    if (role != Qt::DisplayRole) return {};
    return orientation == Qt::Horizontal ? QVariant(m_table.columns.value(section))
                                         : QVariant(firstRow() + section + 1);
}

QString tabText(const ShardTable& table) {
    QStringList lines{table.columns.join(QLatin1Char('\t'))};
    const qint64 rows = table.row ? std::min(table.rows, ShardTableModel::kPageRows) : 0;
    for (qint64 row = 0; row < rows; ++row) lines << table.row(row).join(QLatin1Char('\t'));
    return table.columns.isEmpty() ? QString() : lines.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

}  // namespace ringside
