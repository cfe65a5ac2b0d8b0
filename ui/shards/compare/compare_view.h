// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <memory>

#include "controls/latest_work.h"
#include "controls/recent.h"
#include "sampling/findings/plan_diff.h"
#include "shards/compare/comparison_table.h"
#include "shards/compare/spec_form.h"
#include "shards/grid/grid_widget.h"
#include "shards/grid/picture/cell_differences.h"
#include "shards/scene/shard_view.h"

namespace ringside {

class Theme;

// View A/B: the grid of the experiment's plan (A) and, below it, the grid of a second plan (B) with a small form for
// its settings. Both grids have the same zoom. Cells that differ are marked and counted (CellDifferences).
class CompareView : public ShardView {
    Q_OBJECT
  public:
    explicit CompareView(Theme& theme, QWidget* parent = nullptr);

    void setScene(const ShardScene& scene) override;
    void setSelected(std::optional<qint64> sample, std::optional<GridCell> cell) override;
    void reveal(GridCell cell) override { m_a->reveal(cell); }
    std::optional<Explanation> explanation() const override { return m_explanation; }
    TableData table() const override {
        if (!m_scene || !m_planOfB) return {};
        return comparisonTable(*m_scene, *m_planOfB, QStringLiteral("a-b"));
    }
    bool isSettled() const override { return !m_work.isBusy() && m_a->isSettled() && m_b->isSettled(); }
    void freeMemory() override { m_recent.clear(); }
    qint64 cellsDrawn() const override { return m_a->cellsDrawn() + m_b->cellsDrawn(); }

  private:
    struct Made {
        std::optional<ShardPlan> plan;
        std::string problem;  // reason why the settings of B have no plan; empty if there is a plan
        PlanDiff diff;
        std::shared_ptr<const CellDifferences> ofA, ofB;
    };
    struct Key {
        ShardSpec a, b;
        bool operator==(const Key&) const = default;
    };
    static Made computeComparison(const ShardScene& scene, const ShardSpec& spec, const LatestWork::Stop& stop);
    QWidget* makeHeadOfA();
    void selectInB();
    void chooseInB(GridCell cell);
    void copySettingsOfA();  // gives B the settings of A with drop_last inverted, unless the user has changed a setting
                             // of B
    ShardSpec specOfB() const;
    void startComparison();
    void setMade(const Made& made);
    void showCounts();

    std::optional<ShardScene> m_scene;
    bool m_touched = false;
    QComboBox* m_samplerOfA = nullptr;
    QLabel* m_countOfA = nullptr;
    SpecForm* m_form = nullptr;
    GridWidget* m_a = nullptr;
    GridWidget* m_b = nullptr;
    std::optional<ShardPlan> m_planOfB;
    std::shared_ptr<const CellDifferences> m_ofA, m_ofB;
    std::optional<qint64> m_selected;
    std::optional<Explanation> m_explanation;
    Recent<Key, Made> m_recent{5};  // results of the last five comparisons; each keeps a plan in memory
    LatestWork m_work;
};

}  // namespace ringside
