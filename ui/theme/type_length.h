// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QWidget>
#include <functional>

namespace ringside {

// Returns the application's type size in percent of the normal size. Theme::setTypePercent() sets it.
int typePercent();
void setTypeScale(int percent);

// Converts a length of `pixels` at the normal type size to the length at the present type size, in whole pixels.
int typeScaled(int pixels);

// Integer length that grows with the type size, for areas that contain text. Constructed from the length in pixels at
// the normal type size; converts to the length in pixels at the present type size.
class TypePixels {
  public:
    constexpr explicit TypePixels(int pixels) : m_pixels(pixels) {}
    operator int() const { return typeScaled(m_pixels); }

  private:
    int m_pixels;
};

// The same as TypePixels, but not rounded to whole pixels, for coordinates of a QPainter.
class TypeLength {
  public:
    constexpr explicit TypeLength(double pixels) : m_pixels(pixels) {}
    operator double() const { return m_pixels * typePercent() / 100; }

  private:
    double m_pixels;
};

// Calls `apply` now, and again each time the style or the font of `widget` changes. Used to set sizes that depend on
// the type size.
void followType(QWidget& widget, std::function<void()> apply);

}  // namespace ringside
