// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStyledItemDelegate>

namespace ringside {

// Draws the cells of a table in the fonts and colours that the model gives (Qt::FontRole, Qt::ForegroundRole and
// Qt::BackgroundRole). The texts of cells and headings have the same margin. Used instead of the style sheet, with
// which drawing a hundred cells takes longer than one frame.
class TableCells final : public QStyledItemDelegate {
  public:
    // Alignment of numbers if the model gives no Qt::TextAlignmentRole.
    enum class Numbers { Left, Right };
    explicit TableCells(Numbers numbers, QObject* parent = nullptr) : QStyledItemDelegate(parent), m_numbers(numbers) {}

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;

    // The margin of QHeaderView::section in the style sheet, in pixels.
    static constexpr int kMargin = 8;

  private:
    const Numbers m_numbers;
};

}  // namespace ringside
