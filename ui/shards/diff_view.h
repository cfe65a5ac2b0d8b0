// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <QLabel>
#include <QSpinBox>

#include "sampling/plan_diff.h"
#include "shards/diff_image.h"
#include "shards/latest_work.h"
#include "shards/recent.h"
#include "shards/shard_view.h"

namespace ringside {

class Theme;

// Rows of ranks and columns of slots, coloured by where each sample was in another epoch; black where nothing moved.
class DiffCanvas : public QWidget {
    Q_OBJECT
  public:
    explicit DiffCanvas(Theme& theme, QWidget* parent = nullptr);
    void setScene(const ShardScene& scene) { m_scene.emplace(scene); }
    void setImage(const QImage& image);
    void setSelected(std::optional<LoomCell> cell);
    QRectF cellsArea() const;

  Q_SIGNALS:
    void cellClicked(ringside::LoomCell cell);
    void cellHovered(std::optional<ringside::LoomCell> cell);
    void resized();

  protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

  private:
    std::optional<LoomCell> cellAt(QPointF point) const;

    Theme& m_theme;
    std::optional<ShardScene> m_scene;
    std::optional<LoomCell> m_selected;
    QImage m_image;
};

// What changed between the epoch at the cursor and another one.
class DiffView : public ShardView {
    Q_OBJECT
  public:
    explicit DiffView(Theme& theme, QWidget* parent = nullptr);

    void setScene(const ShardScene& scene) override;
    void setSelected(std::optional<qint64> sample, std::optional<LoomCell> cell) override;
    std::optional<Explanation> explanation() const override { return m_explanation; }
    ShardTable table() const override;
    bool isSettled() const override { return !m_work.isBusy(); }
    qint64 cellsDrawn() const override { return m_scene ? m_scene->plan.totalSize() : 0; }

  private:
    struct Made {
        std::optional<ShardPlan> plan;
        PlanDiff diff;
        QImage image;
    };
    struct Key {
        ShardSpec here, there;
        int width = 0;
        DiffColors colors;
        bool operator==(const Key&) const = default;
    };
    static Made made(const ShardScene& scene, const Key& key, const LatestWork::Stop& stop);
    void compare();
    void take(const Made& made, std::int64_t other);

    Theme& m_theme;
    std::optional<ShardScene> m_scene;
    bool m_chosen = false;  // by a person; until then it is the epoch before
    QLabel* m_title;
    QSpinBox* m_other;
    DiffCanvas* m_canvas;
    std::optional<ShardPlan> m_there;
    std::optional<Explanation> m_explanation;
    Recent<Key, Made> m_recent{5};  // each keeps a plan alive
    LatestWork m_work;
};

}  // namespace ringside
