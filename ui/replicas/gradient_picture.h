// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <QWidget>
#include <vector>

#include "telemetry/data/replica_data.h"

namespace ringside {

class Theme;

// A step's gradients as heat maps: a row for each tensor, a column for each rank's own gradient, one for their mean and
// one for what the update made of the weights. In a row all gradients have one scale, the change has its own.
class GradientPicture : public QWidget {
    Q_OBJECT
  public:
    explicit GradientPicture(const Theme& theme, QWidget* parent = nullptr);
    // Null: nothing; it is copied. summed: who averages has forgotten to divide.
    void setStep(const LookedAtStep* step, bool summed = false);
    QSize minimumSizeHint() const override;

  protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

  private:
    struct Column {
        const GradientView* view = nullptr;  // null: not told
        QString title;
        QString note;
        int rank = -1;
    };
    std::vector<Column> columns() const;
    const GradientView* anyView() const;
    double scaleOf(std::size_t tensor, const Column& column) const;
    QImage imageOf(const GradientView& view, std::size_t tensor, double scale) const;
    QRectF placeOf(std::size_t tensor, std::size_t column) const;
    std::vector<double> rowTops() const;
    void paintHeads(QPainter& painter, const std::vector<Column>& columns) const;
    void paintLegend(QPainter& painter) const;
    QString tipAt(const QPointF& at) const;

    const Theme& m_theme;
    LookedAtStep m_step;
    bool m_summed = false;
};

}  // namespace ringside
