// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <QVariantAnimation>
#include <vector>

#include "controls/picture.h"
#include "telemetry/data/replica_data.h"

namespace ringside {

class Theme;

// Heat maps of the gradients of a step: one row per tensor; columns for the local gradient of each rank, their mean,
// and the weight change. All gradients of a tensor use one colour scale; the weight change has its own scale. New
// values are animated: images of the local gradients move to the column of the mean, and the image of the mean moves to
// the column of the weight change.
class GradientPicture : public Picture {
    Q_OBJECT
  public:
    explicit GradientPicture(const Theme& theme, QWidget* parent = nullptr);
    // Shows a copy of `step`; null clears the picture. ranks: ranks that get a column. summed: true if the gradients
    // are summed by mistake instead of averaged.
    void setStep(const InspectedStep* step, const std::vector<int>& ranks, bool summed = false);
    bool isFlowing() const { return m_flow.state() == QAbstractAnimation::Running; }
    QSize minimumSizeHint() const override;
    std::vector<Identity> identitiesAt(const QPoint& point) const override;

  protected:
    void restyle() override;
    void paintEvent(QPaintEvent* event) override;
    Tip tipAt(const QPoint& at) const override;

  private:
    struct Column {
        const GradientView* view = nullptr;  // values of the column; null: not reported
        QString title;
        QString note;
        int rank = -1;
    };
    enum class Flow { None, ToMean, ToWeights };
    void startFlow(Flow flow);
    void makeImages();
    void paintMovingGradients(QPainter& painter, std::size_t tensor) const;
    std::vector<Column> columns() const;
    const GradientView* anyView() const;
    double scaleOf(std::size_t tensor, const Column& column) const;
    QImage imageOf(const GradientView& view, std::size_t tensor, double scale) const;
    QRectF imageRect(std::size_t tensor, std::size_t column) const;
    std::vector<double> rowTops() const;
    void paintHeads(QPainter& painter, const std::vector<Column>& columns) const;
    void paintLegend(QPainter& painter) const;

    InspectedStep m_step;
    std::vector<int> m_ranks;
    bool m_summed = false;
    std::vector<std::vector<QImage>> m_images;  // pictures by column and tensor; null images for values that are not
                                                // reported
    Flow m_flowing = Flow::None;
    QVariantAnimation m_flow;
};

}  // namespace ringside
