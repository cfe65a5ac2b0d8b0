// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStyledItemDelegate>

namespace ringside {

// Draws the cells of a table in the fonts and colours that the model returns (Qt::FontRole, Qt::ForegroundRole and
// Qt::BackgroundRole), with the same margin as the headings. Replaces drawing with the style sheet, which is too slow:
// a hundred cells take longer than one frame.
class TableCells final : public QStyledItemDelegate {
  public:
    // Alignment of numbers if the model gives no Qt::TextAlignmentRole.
    enum class Numbers { Left, Right };
    explicit TableCells(Numbers numbers, QObject* parent = nullptr) : QStyledItemDelegate(parent), m_numbers(numbers) {}

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;

    // Margin to the left and right of a cell's text, in pixels; equal to the margin of headings in the style sheet.
    static constexpr int kMargin = 8;

  private:
    const Numbers m_numbers;
};

}  // namespace ringside
