// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QStringList>
#include <algorithm>
#include <atomic>
#include <functional>

namespace ringside {

// A view's numbers as rows, made when they are asked for: a plan of millions of samples costs nothing until it is
// scrolled or written. row() may be called on any thread. Numbers are in the C locale.
struct ShardTable {
    QString name;  // of a file: "loom-epoch-2"
    QStringList columns;
    qint64 rows = 0;
    std::function<QStringList(qint64 row)> row;
};

// Writes a table as CSV (RFC 4180). Returns why it failed, or nothing; a stopped one leaves no file.
QString writeCsv(const ShardTable& table, const QString& file, const std::atomic<bool>& stop);

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
    // Whether the column holds numbers: told by its first row.
    bool isNumeric(int column) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

  private:
    ShardTable m_table;
    qint64 m_page = 0;
    mutable qint64 m_cachedRow = -1;  // a row is asked for column by column
    mutable QStringList m_cached;
};

}  // namespace ringside
