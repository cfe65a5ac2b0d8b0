// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QWidget>
#include <functional>

namespace ringside {

// Size of the application's type in percent of the normal size. Theme::setTypePercent() sets it.
int typePercent();
void setTypeScale(int percent);

// Returns `pixels` times the size of the type, rounded.
int typeScaled(int pixels);

// Length in pixels at the normal type size. Its value grows with the type, so that a text keeps its room.
class TypePixels {
  public:
    constexpr explicit TypePixels(int pixels) : m_pixels(pixels) {}
    operator int() const { return typeScaled(m_pixels); }

  private:
    int m_pixels;
};

// Length as TypePixels, but for painters and without rounding.
class TypeLength {
  public:
    constexpr explicit TypeLength(double pixels) : m_pixels(pixels) {}
    operator double() const { return m_pixels * typePercent() / 100; }

  private:
    double m_pixels;
};

// Calls `apply` now and each time the style or the font of `widget` changes, for sizes that depend on the type.
void followType(QWidget& widget, std::function<void()> apply);

}  // namespace ringside
