// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHBoxLayout>
#include <QPushButton>
#include <QWidget>

#include "shards/loom/picture/loom_geometry.h"
#include "shards/scene/shard_scene.h"

namespace ringside {

enum class CrumbKind { Epoch, Rank, Step, Sample };

struct Crumb {
    CrumbKind kind = CrumbKind::Epoch;
    QString text;
    bool operator==(const Crumb&) const = default;
};

// Where the view is: "Epoch 2 > rank 1 > step 3 > sample 88" of the selection; without one, the ranks and steps in
// sight as far as they are not all.
QList<Crumb> trailOf(const ShardScene& scene, const LoomGeometry& view, std::optional<LoomCell> selected);

// The slots of the step that the cell belongs to, dropped ones too.
CellRange stepSlots(const ShardScene& scene, qint64 slot);

// A trail of buttons; a click goes back to that level.
class Breadcrumb : public QWidget {
    Q_OBJECT
  public:
    explicit Breadcrumb(QWidget* parent = nullptr);
    void setTrail(const QList<Crumb>& trail);
    const QList<Crumb>& trail() const { return m_trail; }

  protected:
    void resizeEvent(QResizeEvent* event) override;

  Q_SIGNALS:
    void chosen(ringside::CrumbKind kind);

  private:
    void fitWords();

    QList<Crumb> m_trail;
    QHBoxLayout* m_row;
};

}  // namespace ringside
