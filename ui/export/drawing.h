// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSize>
#include <functional>
#include <vector>

QT_BEGIN_NAMESPACE
class QPainter;
class QWidget;
QT_END_NAMESPACE

namespace ringside {

// Recording of a widget's drawing as lines, texts and images, which can be drawn again on any thread. Replaces
// QPicture, which compresses every image while it records and is a hundred times slower.
class Drawing {
  public:
    using Step = std::function<void(QPainter&)>;

    static Drawing of(QWidget& widget);  // records the painting of the widget; call on the window's thread

    QSize size() const { return m_size; }
    void replay(QPainter& painter) const;

  private:
    QSize m_size;
    std::vector<Step> m_steps;
};

}  // namespace ringside
