// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QBrush>
#include <QFont>
#include <QPainter>
#include <QPen>
#include <QPixmap>
#include <array>
#include <map>
#include <tuple>

namespace ringside {

// Images of frames and digits for small cells. Each is drawn once and then copied, because thousands of cells are
// visible, and drawing a number as text takes most of the time of a cell.
class ChipSheet {
  public:
    // True if the painter can draw copies of images. If false, as for vector files (SVG), frames and digits must be
    // drawn in full.
    static bool canCopyTo(const QPainter& painter);

    // Draws a rounded rectangle with the border inside.
    void frame(QPainter& painter, const QRectF& rect, const QPen& pen, const QColor& fill, double inset, double corner);

    double width(const QPainter& painter, qint64 number, const QFont& font, const QColor& color);
    // Draws a number in the middle of the rectangle; upright: from bottom to top.
    void number(QPainter& painter, const QRectF& rect, qint64 number, const QFont& font, const QColor& color,
                bool upright = false);

  private:
    struct Digits {
        std::array<QPixmap, 10> level, upright;
        std::array<double, 10> advance{};
        double height = 0;
    };
    using FrameKey = std::tuple<QRgb, QRgb, double, int, int, int>;
    using DigitsKey = std::tuple<int, int, QRgb>;
    const Digits& digits(const QPainter& painter, const QFont& font, const QColor& color);

    std::map<FrameKey, QPixmap> m_frames;
    std::map<DigitsKey, Digits> m_digits;
};

}  // namespace ringside
