// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPainter>

#include "shards/loom/picture/loom_geometry.h"
#include "shards/watch/run_progress.h"

namespace ringside {

class Theme;

// Draws over a loom what a run has trained of it: a bar under each row, an edge where its rank is, ticks on cells that
// are large enough, and in red what was not as planned.
void paintProgress(QPainter& painter, const RunProgress& progress, const LoomGeometry& geometry, const Theme& theme);

// The same for a row of the minimap.
void paintProgressStrip(QPainter& painter, const RunProgress& progress, int rank, const QRectF& strip,
                        double pixelsPerSlot, const Theme& theme);

}  // namespace ringside
