// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QBoxLayout>
#include <QPushButton>

#include "controls/segmented_control.h"
#include "shards/loom/breadcrumb.h"
#include "shards/loom/loom_minimap.h"
#include "shards/loom/loom_widget.h"
#include "shards/loom/places_table.h"
#include "shards/loom/tail_panel.h"
#include "shards/scene/shard_view.h"

namespace ringside {

// View with the grid, a minimap of the whole epoch above it, and a magnified panel of the last slots beside it.
class LoomView : public ShardView {
    Q_OBJECT
  public:
    explicit LoomView(Theme& theme, QWidget* parent = nullptr);

    void setScene(const ShardScene& scene) override;
    void setSelected(std::optional<qint64> sample, std::optional<LoomCell> cell) override;
    void reveal(LoomCell cell) override { m_loom->reveal(cell); }
    std::optional<Explanation> explanation() const override { return m_loom->dealing().explanation(); }
    QWidget* keyboardHome() override { return m_loom; }
    void setProgress(const RunProgress& progress) override;
    void setStep(std::optional<CellRange> slots_) override { m_loom->setStep(slots_); }
    void setHits(const Hits& hits) override { m_loom->setHits(hits); }
    ShardTable table() const override { return m_scene ? placesTable(*m_scene) : ShardTable{}; }

    bool isSettled() const override { return m_loom->isSettled() && m_minimap->isSettled(); }
    qint64 cellsDrawn() const override { return m_loom->cellsDrawn(); }

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    QWidget* makeHeader();
    void connectParts();
    void showWindow();
    void showTrail();
    void goTo(CrumbKind kind);
    void deal();
    void nameDealButton();

    std::optional<ShardScene> m_scene;
    std::optional<LoomCell> m_selected;
    QBoxLayout* m_header = nullptr;  // trail and buttons, in one row or two
    Breadcrumb* m_trail = nullptr;
    QPushButton* m_deal = nullptr;
    SegmentedControl* m_colorBy = nullptr;
    LoomMinimap* m_minimap = nullptr;
    LoomWidget* m_loom = nullptr;
    TailPanel* m_tail = nullptr;
};

}  // namespace ringside
