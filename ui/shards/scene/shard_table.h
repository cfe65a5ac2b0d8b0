// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QStringList>
#include <algorithm>
#include <atomic>
#include <functional>

namespace ringside {

// Numbers of a view as rows that are computed on demand: a plan of millions of samples costs nothing until its table is
// scrolled or written. row() may be called on any thread. Numbers are in the C locale.
struct ShardTable {
    QString name;  // base name of a file: "grid-epoch-2"
    QStringList columns;
    qint64 rows = 0;
    std::function<QStringList(qint64 row)> row;
};

// Writes a table as CSV (RFC 4180). Returns the reason of a failure, or an empty text; leaves no file if stopped.
QString writeCsv(const ShardTable& table, const QString& file, const std::atomic<bool>& stop);

// Returns the table as lines of cells that tabs separate, with its columns first; at most kPageRows rows.
QString tabText(const ShardTable& table);

// The table for a view of Qt, a page of it at a time: a view keeps a few bytes for every row it could show.
class ShardTableModel : public QAbstractTableModel {
    Q_OBJECT
  public:
    static constexpr qint64 kPageRows = 100'000;

    using QAbstractTableModel::QAbstractTableModel;
    void setTable(ShardTable table);
    const ShardTable& table() const { return m_table; }
    qint64 pageCount() const { return std::max<qint64>(1, (m_table.rows + kPageRows - 1) / kPageRows); }
    void setPage(qint64 page);  // from 0, clamped
    qint64 firstRow() const { return m_page * kPageRows; }
    // True if the column contains numbers, determined by its first row.
    bool isNumeric(int column) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

  private:
    ShardTable m_table;
    qint64 m_page = 0;
    mutable qint64 m_cachedRow = -1;  // cached because Qt reads a row column by column
    mutable QStringList m_cached;
};

}  // namespace ringside
