// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "identity/identity.h"

class QAbstractItemView;
class QPoint;

namespace ringside {

// Returns the samples, ranks, steps and epochs in the table row at `point`, a position in the viewport of `view`.
// Columns are recognised by their headings: sample or index, rank, step, epoch. A cell in a column with a heading such
// as "Rank 3" also identifies this rank.
std::vector<Identity> tableIdentitiesAt(const QAbstractItemView& view, const QPoint& point);

// Returns the selected cells as text, or all cells if fewer than two are selected: a line with the headings of the
// columns, then one line per row, with tabs between the cells. If a model shortens a cell's text for display, uses the
// complete text, which the model returns for Qt::EditRole.
QString tableText(const QAbstractItemView& view);

}  // namespace ringside
