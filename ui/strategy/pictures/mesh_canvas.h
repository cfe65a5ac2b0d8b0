// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "strategy/pictures/strategy_canvas.h"

namespace ringside {

// Picture of the mesh: a box per rank, ordered by pipeline stage and data-parallel position; a frame around the ranks
// that hold one copy of the model; and lines with the bytes that are sent between ranks in a step.
class MeshCanvas final : public StrategyCanvas {
    Q_OBJECT
  public:
    explicit MeshCanvas(Theme& theme, QWidget* parent = nullptr);

    static QString whatText(StepLink::What what);

  protected:
    void draw(QPainter& painter) override;
    void sceneChanged() override;

  private:
    // All transfers from one rank to another in a step.
    struct Route {
        int from = 0, to = 0;
        std::int64_t bytes = 0;
        QStringList parts;                                 // content and bytes of each transfer as text
        StepLink::What what = StepLink::What::kGradients;  // content that is being sent now or, if none is, the content
                                                           // with the most bytes
        bool both = false;                                 // true if the receiving rank also sends to the sending rank
        // true while one of the transfers of this line is in progress; known only in slow motion and single phases
        bool now = false;
    };
    struct NodeCell {
        int column = 0, row = 0;
    };
    QSize grid() const;
    NodeCell cellOf(int rank) const;
    double heightBelowNodes() const;  // returns the height below the boxes: for the curves and the legend
    QRectF nodeOf(int rank) const;
    std::vector<Route> routes() const;
    QColor colorOf(StepLink::What what) const;
    void drawCopies(QPainter& painter) const;
    void drawRoute(QPainter& painter, const Route& route, double most);
    void drawNode(QPainter& painter, int rank);
    void drawLegend(QPainter& painter, const std::vector<Route>& routes) const;
};

}  // namespace ringside
