// SPDX-License-Identifier: GPL-3.0-or-later
#include "experiment/model_summary_table.h"

#include <QFont>

#include "base/text/number_text.h"
#include "words/field_text.h"

namespace ringside {
namespace {

QString cellText(const ModelSummaryRow& row, int column) {
    // Indents nested layers by figure spaces, which are as wide as digits.
    if (column == ModelSummaryTable::Layer)
        return QString(3 * row.depth, QChar(0x2007)) + QString::fromStdString(row.layer);
    if (row.isHeading) return {};
    switch (column) {
        case ModelSummaryTable::Output:
            return QString::fromStdString(row.output);
        case ModelSummaryTable::Parameters:
            return groupedText(row.parameters);
        case ModelSummaryTable::Flops:
            return groupedText(row.flops);
        case ModelSummaryTable::Values:
            return groupedText(row.values);
        default:
            return QString::fromStdString(memoryText(row.memoryBytes));
    }
}

}  // namespace

void ModelSummaryTable::setRows(const std::vector<ModelSummaryRow>& rows) {
    if (rows == m_rows) return;
    beginResetModel();
    m_rows = rows;
    endResetModel();
}

int ModelSummaryTable::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int ModelSummaryTable::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : kColumns;
}

QVariant ModelSummaryTable::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const ModelSummaryRow& row = m_rows[static_cast<std::size_t>(index.row())];
    const bool isNumber = index.column() > Output;
    switch (role) {
        case Qt::DisplayRole:
            return cellText(row, index.column());
        case Qt::TextAlignmentRole:
            return QVariant((isNumber ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
        case Qt::FontRole: {
            QFont font;
            font.setWeight(index.row() + 1 == rowCount() ? QFont::DemiBold : QFont::Normal);
            return font;
        }
        default:
            return {};
    }
}

QVariant ModelSummaryTable::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation == Qt::Vertical) return {};
    const QString names[] = {tr("Layer"), tr("Output shape"), tr("Parameters"),
                             tr("FLOPs"), tr("Activations"),  tr("Memory")};
    const QString tips[] = {tr("Layer with the name and arguments of PyTorch's module"),
                            tr("Shape of the output for one sample"),
                            tr("Number of trainable parameters"),
                            tr("Floating-point operations of the forward pass for one sample"),
                            tr("Activations of one sample that the forward pass keeps for the backward pass"),
                            tr("Memory on each rank during training: parameters, gradients, optimizer state, and the "
                               "activations of a batch with their gradients")};
    if (role == Qt::DisplayRole) return names[section];
    if (role == Qt::ToolTipRole) return tips[section];
    if (role == Qt::TextAlignmentRole)
        return QVariant((section > Output ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    return {};
}

}  // namespace ringside
