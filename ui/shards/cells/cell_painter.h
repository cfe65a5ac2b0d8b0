// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPainter>
#include <QRectF>

#include "shards/cells/cell_colors.h"
#include "shards/cells/chip_sheet.h"
#include "shards/cells/thumbnails.h"
#include "shards/scene/grid_cell.h"

namespace ringside {

class Theme;

// Draws a sample as a card: picture, index, label. A duplicate has an outline in the warning colour, a dropped sample
// has a dashed outline in the danger colour.
class CellPainter {
  public:
    CellPainter(const ShardScene& scene, const CellColors& colors, const Theme& theme, Thumbnails& thumbnails)
        : m_scene(scene), m_colors(colors), m_theme(theme), m_thumbnails(thumbnails) {}

    // Paints a card, for cells at least 48 px wide. line: text below the index instead of the class.
    void card(QPainter& painter, const QRectF& rect, GridCell cell, bool withClass, const QString& line = {}) const;
    // Paints a small card, for cells 16 to 48 px wide.
    void chip(QPainter& painter, const QRectF& rect, GridCell cell) const;
    void outline(QPainter& painter, const QRectF& rect, CellKind kind) const;  // paints the border of a cell of any
                                                                               // size

  private:
    QPen border(const CellContent& content, GridCell cell, double width) const;
    QColor textColor(CellKind kind) const;
    void frame(QPainter& painter, const QRectF& rect, const QPen& pen, const QColor& fill, double inset,
               double corner) const;
    void drawIndex(QPainter& painter, const QRectF& place, const CellContent& content) const;
    QFont indexFont(const QPainter& painter, double room, const QColor& color) const;
    void stampNumber(QPainter& painter, const QRectF& rect, const CellContent& content) const;

    const ShardScene& m_scene;
    const CellColors& m_colors;
    const Theme& m_theme;
    Thumbnails& m_thumbnails;
    mutable ChipSheet m_sheet;
};

}  // namespace ringside
