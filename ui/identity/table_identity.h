// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "identity/identity.h"

class QAbstractItemView;
class QPoint;

namespace ringside {

// Returns the things that the row at a point of the view's viewport names. Columns are recognised by their headings:
// sample or index, rank, step, epoch; a column "Rank 3" names the rank.
std::vector<Identity> tableIdentitiesAt(const QAbstractItemView& view, const QPoint& point);

// Returns the selected cells, or all if fewer than two are selected, as lines of cells that tabs separate. The headings
// of the columns come first. Cells that a model shortens for display have their complete text in Qt::EditRole.
QString tableText(const QAbstractItemView& view);

}  // namespace ringside
