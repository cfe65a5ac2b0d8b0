// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <utility>
#include <vector>

#include "controls/picture.h"
#include "strategy/scene/strategy_scene.h"

namespace ringside {

class Theme;

// Base of the pictures of a StrategyScene. Each part of a picture can have a tooltip, and a context menu of the ranks,
// steps and collectives that it shows.
class StrategyCanvas : public Picture {
    Q_OBJECT
  public:
    StrategyCanvas(const QString& name, Theme& theme, QWidget* parent = nullptr);
    void setScene(const StrategyScene& scene);
    // Sets the text that is shown while there is no plan to draw.
    void setEmptyText(const QString& text) { m_empty = text; }
    void setMotion(const std::optional<StepMotion>& motion);
    std::vector<Identity> identitiesAt(const QPoint& point) const override;

  protected:
    const StrategyScene& scene() const { return m_scene; }
    virtual void draw(QPainter& painter) = 0;
    virtual void sceneChanged() {}
    virtual void motionChanged() {}
    // Sets the tooltip of a part of the picture. Call while drawing.
    void explain(const QRectF& part, const QString& what) { m_parts.push_back({part, what}); }
    // Sets the ranks, steps and collectives that a part of the picture shows, the most specific first. Call while
    // drawing.
    void identify(const QRectF& part, std::vector<Identity> things) { m_named.push_back({part, std::move(things)}); }

    void paintEvent(QPaintEvent* event) override;
    Tip tipAt(const QPoint& point) const override;

  private:
    struct Part {
        QRectF where;
        QString what;
    };
    struct Named {
        QRectF where;
        std::vector<Identity> things;
    };
    StrategyScene m_scene;
    QString m_empty;
    std::vector<Part> m_parts;
    std::vector<Named> m_named;
};

}  // namespace ringside
