// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <vector>

#include "strategy/scene/strategy_scene.h"

namespace ringside {

class Theme;

// Picture of a StrategyScene with tooltips for its parts.
class StrategyCanvas : public QWidget {
    Q_OBJECT
  public:
    StrategyCanvas(const QString& name, Theme& theme, QWidget* parent = nullptr);
    void setScene(const StrategyScene& scene);
    // Sets the text that is shown while there is no plan to draw.
    void setEmptyText(const QString& text) { m_empty = text; }
    void setMotion(const std::optional<StepMotion>& motion);

  protected:
    const StrategyScene& scene() const { return m_scene; }
    Theme& theme() const { return m_theme; }
    virtual void draw(QPainter& painter) = 0;
    virtual void sceneChanged() {}
    virtual void motionChanged() {}
    // Sets the tooltip of a part. Call while drawing.
    void explain(const QRectF& part, const QString& what) { m_parts.push_back({part, what}); }

    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

  private:
    struct Part {
        QRectF where;
        QString what;
    };
    Theme& m_theme;
    StrategyScene m_scene;
    QString m_empty;
    std::vector<Part> m_parts;
};

}  // namespace ringside
