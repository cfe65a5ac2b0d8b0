// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCheckBox>
#include <QSpinBox>

#include "sampling/plan_diff.h"
#include "shards/latest_work.h"
#include "shards/loom_widget.h"
#include "shards/shard_view.h"

namespace ringside {

class Theme;

// A/B: the experiment's setting above a second one with its own small form, at the same zoom; cells that hold another
// sample than the other setting's have a dark corner.
class CompareView : public ShardView {
    Q_OBJECT
  public:
    static constexpr qint64 kInstantSamples = 20'000;

    explicit CompareView(Theme& theme, QWidget* parent = nullptr);

    void setScene(const ShardScene& scene) override;
    void setSelected(std::optional<qint64> sample, std::optional<LoomCell> cell) override;
    void reveal(LoomCell cell) override { m_a->reveal(cell); }
    std::optional<Explanation> explanation() const override { return m_explanation; }
    ShardTable table() const override {
        if (!m_scene || !m_planOfB) return {};
        return comparisonTable(*m_scene, *m_planOfB, QStringLiteral("a-b"));
    }

    bool isSettled() const override { return !m_work.isBusy() && m_a->isSettled() && m_b->isSettled(); }
    qint64 cellsDrawn() const override { return m_a->cellsDrawn() + m_b->cellsDrawn(); }

  private:
    struct Made {
        std::optional<ShardPlan> plan;
        PlanDiff diff;
    };
    QWidget* makeForm();
    QSpinBox* addNumber(QLayout& layout, const QString& label, const char* name, int least, int most);
    QCheckBox* addSwitch(QLayout& layout, const QString& label, const char* name);
    void takeForm();
    void selectInB();
    void follow();  // what a person did not change in B is as in A
    ShardSpec specOfB() const;
    void compare();
    void take(const Made& made);

    Theme& m_theme;
    std::optional<ShardScene> m_scene;
    bool m_touched = false;
    bool m_following = false;  // the form is being filled from A
    QSpinBox* m_worldSize = nullptr;
    QSpinBox* m_batchSize = nullptr;
    QSpinBox* m_seed = nullptr;
    QCheckBox* m_shuffle = nullptr;
    QCheckBox* m_dropLast = nullptr;
    QCheckBox* m_loaderDropLast = nullptr;
    LoomWidget* m_a = nullptr;
    LoomWidget* m_b = nullptr;
    std::optional<ShardPlan> m_planOfB;
    std::optional<qint64> m_selected;
    std::optional<Explanation> m_explanation;
    LatestWork m_work;
};

}  // namespace ringside
