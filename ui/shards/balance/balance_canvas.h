// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QScrollBar>
#include <functional>
#include <optional>
#include <vector>

#include "controls/picture.h"
#include "sampling/findings/class_balance.h"

namespace ringside {

class Theme;

// Picture of the number of samples per class. Rows are ranks or steps, columns are classes. If there is enough room,
// each number is a bar in front of a grey band, the range expected by chance. Otherwise each number is a coloured cell:
// the colour shows whether there are more or fewer samples than expected, and an outline marks a number outside the
// range.
class BalanceCanvas : public Picture {
    Q_OBJECT
  public:
    struct Counts {
        qint64 rows = 0;
        int classes = 0;
        std::function<std::int64_t(qint64 row, int label)> count;
        std::function<ChanceBand(qint64 row, int label)> band;
        std::function<QString(qint64 row)> rowName;
        std::function<QString(int label)> className;
        std::function<QColor(qint64 row)> rowColor;
        std::function<Identity(qint64 row)> identity{};  // returns the rank or the step that a row shows
    };
    static constexpr double kMinBar = 10;  // minimum width of a class, in pixels, at which it is drawn as a bar

    explicit BalanceCanvas(Theme& theme, QWidget* parent = nullptr);

    void setCounts(const Counts& counts);
    void setMarkedRow(std::optional<qint64> row);
    // Returns true if classes are drawn as bars, false if as coloured cells.
    bool showsBars() const { return cell(0, 0).width() >= kMinBar; }
    QString tip(QPointF point) const;
    std::vector<Identity> identitiesAt(const QPoint& point) const override;
    QRectF cell(qint64 row, int label) const;
    QSize minimumSizeHint() const override;  // returns a size with room for the names of the classes and two rows

  Q_SIGNALS:
    void resized();

  protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    Tip tipAt(const QPoint& point) const override;

  private:
    double rowHeight() const;
    std::optional<qint64> rowAt(double y) const;
    qint64 rowsInSight() const;
    void arrange();
    void drawRow(QPainter& painter, qint64 row) const;
    void drawBar(QPainter& painter, qint64 row, int label, const QRectF& box) const;
    void drawImageRow(QPainter& painter, qint64 row) const;
    void drawClassNames(QPainter& painter) const;
    double deviation(qint64 row, int label) const;
    QColor colorOf(double deviation) const;

    Counts m_counts;
    // number of samples that a bar of full height represents: the largest visible number or upper limit of a range
    double m_scale = 1;
    std::optional<qint64> m_marked;
    QScrollBar m_scrollBar;
};

}  // namespace ringside
