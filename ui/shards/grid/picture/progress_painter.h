// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPainter>

#include "shards/grid/picture/grid_geometry.h"
#include "shards/watch/run_progress.h"

namespace ringside {

class Theme;

// Draws the progress of a run over the grid: a bar under each row, an edge at the current position of the rank, ticks
// on cells that are large enough, and mismatches in red.
void paintProgress(QPainter& painter, const RunProgress& progress, const GridGeometry& geometry, const Theme& theme);

// Draws the progress of one rank over its strip in the minimap.
void paintProgressStrip(QPainter& painter, const RunProgress& progress, int rank, const QRectF& strip,
                        double pixelsPerSlot, const Theme& theme);

}  // namespace ringside
