// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QRectF>
#include <memory>
#include <optional>

#include "sampling/query/plan_query.h"
#include "shards/cells/cell_colors.h"
#include "shards/cells/thumbnails.h"
#include "shards/grid/motion/batch_flight.h"
#include "shards/grid/picture/cell_differences.h"
#include "shards/grid/picture/grid_geometry.h"
#include "shards/grid/picture/grid_marks.h"
#include "shards/grid/picture/grid_raster.h"
#include "shards/scene/shard_view.h"
#include "shards/watch/run_progress.h"

QT_BEGIN_NAMESPACE
class QColor;
class QImage;
class QPainter;
QT_END_NAMESPACE

namespace ringside {

class Theme;

// Contents of the grid: a plan, the colours of its cells, and marks on them.
struct GridContents {
    std::optional<ShardScene> scene;
    std::optional<CellColors> colors;                    // set together with the scene
    std::shared_ptr<const CellDifferences> differences;  // cells that differ from another plan; null: none is marked
    RunProgress progress;                                // slots that a run has trained
    std::optional<CellRange> step;                       // slots that are framed on all ranks
    Hits hits;                                           // matches of a search
    std::optional<GridCell> selected, hovered;
};

// Draws the parts of the grid. GridWidget calls the functions in the order of their declaration. Each object draws only
// one picture, because it holds references. The contents must have a scene with at least one column. The first two
// functions draw beside the cells, in coordinates of the widget; the other functions draw in coordinates of the cells'
// area.
class GridPainter {
  public:
    // area: rectangle of the cells, in coordinates of the widget.
    GridPainter(QPainter& painter, const Theme& theme, const GridContents& contents, const GridGeometry& geometry,
                Thumbnails& thumbnails, const QRectF& area)
        : m_painter(painter),
          m_theme(theme),
          m_contents(contents),
          m_geometry(geometry),
          m_thumbnails(thumbnails),
          m_area(area) {}

    // Draws the name of each rank and, if its row is high enough, a note about its progress. flight: contains the slots
    // with which each rank is computing.
    void drawRankNames(const BatchFlight& flight) const;
    // Draws the numbers of the steps above the cells.
    void drawSteps() const;

    // Draws a card, or a small card with the index only, for each visible sample.
    void drawCards() const;
    // Draws an image that GridRaster made of an earlier view at the current position of its slots.
    void drawStrips(const QImage& image, const RasterRequest& made) const;
    // Draws gaps between cells from 4 to 16 px wide, and borders between batches. Draws nothing if cells are narrower
    // than 4 px.
    void drawBorders() const;
    // Draws the borders at which torch.chunk splits the batches of a rank with several devices.
    void drawChunks() const;
    // Draws marks on duplicates and dropped samples if cells are too narrow for cards.
    void drawMarks() const;
    // Draws differences: a dark corner in large cells, a tick along the top of small cells, and a strip with one shade
    // per pixel for narrower cells, darker for more differences. Defined in grid_differences.cpp.
    void drawDifferences() const;
    // Draws the frame around the slots of the marked step (GridContents::step).
    void drawStep() const;
    // Draws outlines around search matches, or vertical lines if cells are narrower than an outline.
    void drawHits() const;
    // Draws the outlines of the hovered and of the selected cell.
    void drawCursors() const;

  private:
    void drawRankNote(int rank, const QRectF& place, qint64 taken) const;
    void drawMark(int rank, const PlacedMark& mark) const;
    void drawDifferenceStrips() const;
    void drawCursor(GridCell cell, const QColor& color, double width) const;

    QPainter& m_painter;
    const Theme& m_theme;
    const GridContents& m_contents;
    const GridGeometry& m_geometry;
    Thumbnails& m_thumbnails;
    QRectF m_area;
};

}  // namespace ringside
