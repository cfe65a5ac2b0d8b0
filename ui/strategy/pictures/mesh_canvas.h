// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "strategy/pictures/strategy_canvas.h"

namespace ringside {

// Who belongs with whom: ranks by stage and place among those that read other samples, a frame around each copy of the
// model, and on each link what travels over it in a step.
class MeshCanvas final : public StrategyCanvas {
    Q_OBJECT
  public:
    explicit MeshCanvas(Theme& theme, QWidget* parent = nullptr);

    static QString whatText(StepLink::What what);

  protected:
    void draw(QPainter& painter) override;
    void sceneChanged() override;

  private:
    // All that one rank sends another.
    struct Route {
        int from = 0, to = 0;
        std::int64_t bytes = 0;
        QStringList parts;                                 // in words
        StepLink::What what = StepLink::What::kGradients;  // most of it
        bool both = false;                                 // the other sends back
        bool now = false;                                  // something of it is on its way
    };
    struct Place {
        int column = 0, row = 0;
    };
    QSize grid() const;
    Place placeOf(int rank) const;
    QRectF nodeOf(int rank) const;
    std::vector<Route> routes() const;
    QColor colorOf(StepLink::What what) const;
    void drawCopies(QPainter& painter) const;
    void drawRoute(QPainter& painter, const Route& route, double most);
    void drawNode(QPainter& painter, int rank);
    void drawLegend(QPainter& painter, const std::vector<Route>& routes) const;
};

}  // namespace ringside
