// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <memory>

#include "controls/latest_work.h"
#include "controls/recent.h"
#include "controls/segmented_control.h"
#include "sampling/findings/class_balance.h"
#include "shards/balance/balance_canvas.h"
#include "shards/scene/shard_view.h"

namespace ringside {

class ElidedLabel;

// View of the number of samples of each class by rank or by step, compared with the range expected by chance.
class BalanceView : public ShardView {
    Q_OBJECT
  public:
    explicit BalanceView(Theme& theme, QWidget* parent = nullptr);

    void setScene(const ShardScene& scene) override;
    void setSelected(std::optional<qint64> sample, std::optional<GridCell> cell) override;
    std::optional<Explanation> explanation() const override { return m_explanation; }
    TableData table() const override;
    bool isSettled() const override { return !m_work.isBusy(); }
    void freeMemory() override;
    qint64 cellsDrawn() const override;

  private:
    struct Made {
        ClassBalance byRank;
        BatchBalance byStep;
        qint64 outsideByStep = 0;
        double expectedByStep = 0;  // number of class counts of steps that are outside the range by chance, on average
    };
    static Made countBalance(const ShardScene& scene, const LatestWork::Stop& stop);
    struct Key {
        ShardSpec spec;
        Labels labels;
        bool operator==(const Key&) const = default;
    };
    void setMade(std::shared_ptr<const Made> made);
    void showCounts();
    void explain();
    bool isByStep() const { return m_by->current() == 1; }

    Theme& m_theme;
    std::optional<ShardScene> m_scene;
    std::shared_ptr<const Made> m_made = std::make_shared<Made>();
    std::optional<GridCell> m_selected;
    SegmentedControl* m_by = nullptr;
    ElidedLabel* m_legend = nullptr;
    BalanceCanvas* m_canvas = nullptr;
    std::optional<Explanation> m_explanation;
    Recent<Key, std::shared_ptr<const Made>> m_recent{5};
    LatestWork m_work;
};

// Returns a table with a row for each step and class.
TableData batchBalanceTable(const std::shared_ptr<const BatchBalance>& balance);

}  // namespace ringside
