// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QStringList>
#include <algorithm>

#include "tables/table_data.h"

namespace ringside {

// Qt model that shows one page of a TableData's rows. It does not show all rows, because a Qt view needs a few bytes
// for each row of its model, and a table can have millions. Long cells are shortened for display. Qt::EditRole returns
// the complete text, and the tooltip contains up to 2,000 characters of it.
class TableModel : public QAbstractTableModel {
    Q_OBJECT
  public:
    static constexpr qint64 kPageRows = 100'000;

    using QAbstractTableModel::QAbstractTableModel;
    void setTable(TableData table);
    const TableData& table() const { return m_table; }
    qint64 pageCount() const { return std::max<qint64>(1, (m_table.rows + kPageRows - 1) / kPageRows); }
    void setPage(qint64 page);  // shows a page; pages count from 0; a number that is too large selects the last page
    qint64 firstRow() const { return m_page * kPageRows; }
    // True if the first row has a number in this column.
    bool isNumeric(int column) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

  private:
    TableData m_table;
    qint64 m_page = 0;
    mutable qint64 m_cachedRow = -1;  // row that m_cached contains, because Qt reads a row column by column; -1: none
    mutable QStringList m_cached;
};

}  // namespace ringside
