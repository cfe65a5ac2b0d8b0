// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QSpinBox>
#include <memory>

#include "controls/latest_work.h"
#include "controls/recent.h"
#include "sampling/findings/plan_diff.h"
#include "shards/cells/cell_origins.h"
#include "shards/grid/grid_widget.h"
#include "shards/scene/shard_view.h"

namespace ringside {

class Theme;

// View of the differences between the selected epoch and another epoch. Shows the grid of the selected epoch, coloured
// by the rank of each sample in the other epoch; the theme's text colour marks the same rank and step in both epochs.
class EpochDiffView : public ShardView {
    Q_OBJECT
  public:
    explicit EpochDiffView(Theme& theme, QWidget* parent = nullptr);

    void setScene(const ShardScene& scene) override;
    void setSelected(std::optional<qint64> sample, std::optional<GridCell> cell) override;
    void reveal(GridCell cell) override { m_grid->reveal(cell); }
    std::optional<Explanation> explanation() const override { return m_explanation; }
    TableData table() const override;
    bool isSettled() const override { return !m_work.isBusy() && m_grid->isSettled(); }
    void freeMemory() override;
    qint64 cellsDrawn() const override { return m_grid->cellsDrawn(); }

  private:
    struct Made {
        PlanDiff diff;
        std::shared_ptr<const CellOrigins> origins;
    };
    struct Key {
        ShardSpec here, there;
        bool operator==(const Key&) const = default;
    };
    static Made computeDiff(const ShardScene& scene, const ShardPlan& there, const LatestWork::Stop& stop);
    QLayout* makeHead();
    void showLegend();
    void startComparison();
    void setMade(const Made& made, const ShardScene& scene, const ShardPlan& there, std::int64_t other);

    Theme& m_theme;
    std::optional<ShardScene> m_scene;
    std::optional<ShardSpec> m_shown;  // settings of the plan that the grid shows
    // true if the user has chosen the other epoch; false: it is the epoch before the selected one
    bool m_chosen = false;
    QLabel* m_title = nullptr;
    QSpinBox* m_other = nullptr;
    GridWidget* m_grid = nullptr;
    QLabel* m_legend = nullptr;
    std::optional<ShardPlan> m_there;
    std::optional<Explanation> m_explanation;
    Recent<Key, Made> m_recent{5};
    LatestWork m_work;
};

}  // namespace ringside
