// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>

#include "model/model_summary.h"

namespace ringside {

// Qt table model with one row per layer of the neural network; the last row contains the sums.
class ModelSummaryTable final : public QAbstractTableModel {
    Q_OBJECT
  public:
    enum Column { Layer, Output, Parameters, Flops, Values, Memory, kColumns };

    explicit ModelSummaryTable(QObject* parent = nullptr) : QAbstractTableModel(parent) {}

    void setRows(const std::vector<ModelSummaryRow>& rows);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  private:
    std::vector<ModelSummaryRow> m_rows;
};

}  // namespace ringside
