// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHBoxLayout>
#include <QPushButton>
#include <QWidget>
#include <optional>
#include <vector>

#include "identity/identity.h"
#include "shards/grid/picture/grid_geometry.h"
#include "shards/scene/shard_scene.h"

namespace ringside {

enum class CrumbKind { Epoch, Rank, Step, Sample };

struct Crumb {
    CrumbKind kind = CrumbKind::Epoch;
    QString text;
    std::optional<Identity> identity{};  // epoch, rank, step or sample that the crumb names; empty for a crumb that
                                         // names a range
    bool operator==(const Crumb&) const = default;
};

// Returns the path to the selected cell, such as "Epoch 2 > rank 1 > step 3 > sample 88". If no cell is selected,
// returns the epoch with the visible ranks and steps; if all are visible, only the epoch.
QList<Crumb> trailOf(const ShardScene& scene, const GridGeometry& view, std::optional<GridCell> selected);

// Returns the slots of the step that contains `slot`. If `slot` is a column of samples that the sampler dropped,
// returns all such columns.
CellRange stepSlots(const ShardScene& scene, qint64 slot);

// Row of buttons, one for each level of the path: epoch, rank, step, sample. A click shows the corresponding part of
// the plan in the grid.
class Breadcrumb : public QWidget, public IdentitySource {
    Q_OBJECT
  public:
    explicit Breadcrumb(QWidget* parent = nullptr);
    void setTrail(const QList<Crumb>& trail);
    const QList<Crumb>& trail() const { return m_trail; }
    std::vector<Identity> identitiesAt(const QPoint& point) const override;

  protected:
    void resizeEvent(QResizeEvent* event) override;

  Q_SIGNALS:
    void chosen(ringside::CrumbKind kind);

  private:
    void addButton(int level);
    void fitText();

    QList<Crumb> m_trail;
    QHBoxLayout* m_row;
};

}  // namespace ringside
