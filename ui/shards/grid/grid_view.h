// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QBoxLayout>
#include <QPushButton>

#include "controls/segmented_control.h"
#include "shards/grid/assignment_table.h"
#include "shards/grid/breadcrumb.h"
#include "shards/grid/grid_minimap.h"
#include "shards/grid/grid_widget.h"
#include "shards/grid/last_slots_panel.h"
#include "shards/scene/shard_view.h"

namespace ringside {

// View with the grid, a minimap of the whole epoch above it, and a magnified panel of the last slots beside it.
class GridView : public ShardView {
    Q_OBJECT
  public:
    explicit GridView(Theme& theme, QWidget* parent = nullptr);

    void setScene(const ShardScene& scene) override;
    void setSelected(std::optional<qint64> sample, std::optional<GridCell> cell) override;
    void reveal(GridCell cell) override { m_grid->reveal(cell); }
    std::optional<Explanation> explanation() const override { return m_grid->animation().explanation(); }
    QWidget* keyboardWidget() override { return m_grid; }
    void setProgress(const RunProgress& progress) override;
    void setStep(std::optional<CellRange> slots_) override { m_grid->setStep(slots_); }
    void setHits(const Hits& hits) override { m_grid->setHits(hits); }
    TableData table() const override { return m_scene ? assignmentTable(*m_scene) : TableData{}; }

    bool isSettled() const override { return m_grid->isSettled() && m_minimap->isSettled(); }
    qint64 cellsDrawn() const override { return m_grid->cellsDrawn(); }

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    QWidget* makeHeader();
    void connectParts();
    void showWindow();
    void showTrail();
    void goTo(CrumbKind kind);
    void animateAssignment();
    void nameAnimationButton();

    std::optional<ShardScene> m_scene;
    std::optional<GridCell> m_selected;
    QBoxLayout* m_header = nullptr;  // layout of the breadcrumb and the buttons, in one row or two
    Breadcrumb* m_trail = nullptr;
    QPushButton* m_animation = nullptr;
    SegmentedControl* m_colorBy = nullptr;
    GridMinimap* m_minimap = nullptr;
    GridWidget* m_grid = nullptr;
    LastSlotsPanel* m_lastSlots = nullptr;
};

}  // namespace ringside
