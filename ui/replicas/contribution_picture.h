// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include "controls/picture.h"
#include "replicas/step_contributions.h"

namespace ringside {

class Theme;

// Picture with one row per rank. Each row shows the rank's share of the mean gradient as a bar that starts at zero,
// with a line at the share 1 / N; the cosine similarity between the rank's local gradient and the mean gradient; the
// rank's loss; and its samples. A click on a row requests to show the samples of that rank.
class ContributionPicture : public Picture {
    Q_OBJECT
  public:
    explicit ContributionPicture(const Theme& theme, QWidget* parent = nullptr);
    void setContributions(StepContributions contributions);
    const StepContributions& contributions() const { return m_pulls; }
    QSize minimumSizeHint() const override;
    std::vector<Identity> identitiesAt(const QPoint& point) const override;

  Q_SIGNALS:
    void samplesWanted(qint64 step, qint64 epoch, int rank);

  protected:
    void paintEvent(QPaintEvent* event) override;
    Tip tipAt(const QPoint& point) const override;
    void mouseReleaseEvent(QMouseEvent* event) override;

  private:
    struct Columns {
        double bar = 0, barWidth = 0, cosine = 0, norm = 0, loss = 0, samples = 0;
    };
    Columns columns() const;
    QRectF rowOf(std::size_t place) const;
    std::optional<std::size_t> rowAt(const QPointF& at) const;
    void paintHead(QPainter& painter) const;
    void paintRow(QPainter& painter, std::size_t place) const;
    void paintBar(QPainter& painter, const RankContribution& contribution, const QRectF& row) const;
    std::optional<std::int64_t> sampleAt(const RankContribution& contribution, double at) const;
    double scaleMaximum() const;  // returns the share at the end of the bars' scale, at least 1 / N

    StepContributions m_pulls;
};

}  // namespace ringside
