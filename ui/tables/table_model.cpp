// SPDX-License-Identifier: GPL-3.0-or-later
#include "tables/table_model.h"

#include <algorithm>

namespace ringside {
namespace {

constexpr qsizetype kMaxShown = 120;  // maximum length of a displayed cell text; longer texts are cut, because a view
                                      // spends time on invisible text, too
constexpr qsizetype kMaxInTip = 2000;
constexpr qsizetype kAlwaysWhole = 12;  // texts of up to 12 characters fit into every column and need no tooltip

}  // namespace

void TableModel::setTable(TableData table) {
    beginResetModel();
    m_table = std::move(table);
    m_page = std::min(m_page, pageCount() - 1);
    m_cachedRow = -1;
    endResetModel();
}

void TableModel::setPage(qint64 page) {
    beginResetModel();
    m_page = std::clamp<qint64>(page, 0, pageCount() - 1);
    m_cachedRow = -1;
    endResetModel();
}

int TableModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(std::min(m_table.rows - firstRow(), kPageRows));
}

int TableModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_table.columns.size());
}

QVariant TableModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || (role != Qt::DisplayRole && role != Qt::EditRole && role != Qt::ToolTipRole)) return {};
    if (m_cachedRow != index.row()) {
        m_cached = m_table.row(firstRow() + index.row());
        m_cachedRow = index.row();
    }
    const QString field = m_cached.value(index.column());
    if (role == Qt::EditRole) return field;
    const bool fits = field.size() <= kMaxShown;
    if (role == Qt::ToolTipRole)
        return field.size() <= kAlwaysWhole ? QVariant()
                                            : QStringLiteral("<qt>%1</qt>").arg(field.left(kMaxInTip).toHtmlEscaped());
    return fits ? field : field.left(kMaxShown) + QStringLiteral("...");
}

bool TableModel::isNumeric(int column) const {
    if (m_table.rows == 0) return false;
    bool number = false;
    m_table.row(0).value(column).toDouble(&number);
    return number;
}

QVariant TableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (role == Qt::TextAlignmentRole && orientation == Qt::Horizontal) {
        return static_cast<int>(Qt::AlignVCenter | (isNumeric(section) ? Qt::AlignRight : Qt::AlignLeft));
    }
    if (role != Qt::DisplayRole) return {};
    return orientation == Qt::Horizontal ? QVariant(m_table.columns.value(section))
                                         : QVariant(firstRow() + section + 1);
}

}  // namespace ringside
