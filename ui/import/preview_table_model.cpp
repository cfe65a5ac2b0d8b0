// SPDX-License-Identifier: GPL-3.0-or-later
#include "import/preview_table_model.h"

#include "data/readers/csv_table.h"
#include "import/import_sentences.h"

namespace ringside {
namespace {

// Returns the alignment of a column's cells and heading.
QVariant alignmentOf(const PreviewColumn& column) {
    return QVariant((column.type == ColumnType::kText ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
}

}  // namespace

void PreviewTableModel::setPreview(const DataPreview& preview) {
    beginResetModel();
    m_columns = preview.columns;
    m_rows = preview.rows;
    m_label = preview.labelColumn;
    m_isText = preview.dataset.kind == DatasetKind::kText;
    endResetModel();
}

void PreviewTableModel::setColors(const QColor& label, const QColor& missing) {
    beginResetModel();
    m_labelColor = label;
    m_missingColor = missing;
    endResetModel();
}

int PreviewTableModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int PreviewTableModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_columns.size());
}

QVariant PreviewTableModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const std::vector<std::string>& row = m_rows[static_cast<std::size_t>(index.row())];
    const auto column = static_cast<std::size_t>(index.column());
    const std::string cell = column < row.size() ? row[column] : std::string();  // empty if the row has fewer cells
    const bool isMissing = !m_isText && isMissingCell(cell);
    switch (role) {
        case Qt::DisplayRole:
            return cell.empty() && !m_isText ? tr("missing") : QString::fromStdString(cell);
        case Qt::ForegroundRole:
            return isMissing ? QVariant(m_missingColor) : QVariant();
        case Qt::BackgroundRole:
            return index.column() == m_label ? QVariant(m_labelColor) : QVariant();
        case Qt::TextAlignmentRole:
            return alignmentOf(m_columns[column]);
        default:
            return {};
    }
}

QVariant PreviewTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation == Qt::Vertical) return role == Qt::DisplayRole ? QVariant(section + 1) : QVariant();
    const PreviewColumn& column = m_columns[static_cast<std::size_t>(section)];
    const bool isLabel = section == m_label;
    switch (role) {
        case Qt::DisplayRole: {
            const QString name = QString::fromStdString(column.name).left(40);
            return isLabel ? tr("%1 (label)").arg(name) : name;
        }
        case Qt::EditRole:  // complete name of the column, which is used when the table is copied as text
            return QString::fromStdString(column.name);
        case Qt::TextAlignmentRole:
            return alignmentOf(column);
        case Qt::ToolTipRole:
            if (m_isText) return tr("The first lines of the text file");
            return isLabel ? columnTip(column) : columnTip(column) + tr("\nClick to use this column as the label");
        default:
            return {};
    }
}

}  // namespace ringside
