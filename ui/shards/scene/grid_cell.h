// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal>

namespace ringside {

struct GridCell {
    int rank = 0;
    qint64 slot = 0;
    bool operator==(const GridCell&) const = default;
};

// Half-open range of slots or ranks.
struct CellRange {
    qint64 first = 0;
    qint64 last = 0;
    qint64 size() const { return last - first; }
    bool operator==(const CellRange&) const = default;
};

}  // namespace ringside
