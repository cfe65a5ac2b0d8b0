// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QColor>

#include "data/preview/preview.h"

namespace ringside {

// Qt table model of the first rows of a data file. The header marks the label column; cells without a value show
// "missing".
class PreviewTableModel final : public QAbstractTableModel {
    Q_OBJECT
  public:
    explicit PreviewTableModel(QObject* parent = nullptr) : QAbstractTableModel(parent) {}

    void setPreview(const DataPreview& preview);
    void setColors(const QColor& label, const QColor& missing);
    int labelColumn() const { return m_label; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  private:
    std::vector<PreviewColumn> m_columns;
    std::vector<std::vector<std::string>> m_rows;
    int m_label = -1;
    bool m_isText = false;  // true if the rows are lines of a text, in which empty cells are not missing values
    QColor m_labelColor, m_missingColor;
};

}  // namespace ringside
