// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <memory>
#include <optional>
#include <vector>

#include "shards/scene/explanation.h"
#include "shards/scene/loom_cell.h"
#include "shards/scene/shard_scene.h"
#include "shards/scene/shard_table.h"

namespace ringside {

struct PlanHit;
struct RunProgress;
// What a search found, in the order of training; may be null.
using Hits = std::shared_ptr<const std::vector<PlanHit>>;

// One of the page's pictures of a plan. Only the view in sight is given scenes; all share the page's selection.
class ShardView : public QWidget {
    Q_OBJECT
  public:
    using QWidget::QWidget;
    virtual void setScene(const ShardScene& scene) = 0;
    // The selected sample, and its cell in the scene's plan where it has one.
    virtual void setSelected(std::optional<qint64> sample, std::optional<LoomCell> cell) = 0;
    virtual void reveal(LoomCell) {}
    // Another view is in sight: gives back the memory of what can be made again.
    virtual void freeMemory() {}
    virtual void setHits(const Hits&) {}             // marks them
    virtual void setProgress(const RunProgress&) {}  // what a run has trained of the scene
    // Marks the slots of a step that was chosen elsewhere; none: no step.
    virtual void setStep(std::optional<CellRange>) {}
    // What the whole view says, in place of why the selected sample is where it is.
    virtual std::optional<Explanation> explanation() const { return {}; }
    // The part that keys act on.
    virtual QWidget* keyboardHome() { return this; }
    virtual ShardTable table() const = 0;  // what is seen, as rows
    // Whether the picture is of the scene given last; false while a worker still draws it.
    virtual bool isSettled() const { return true; }
    virtual qint64 cellsDrawn() const { return 0; }  // samples that the last picture stands for

  Q_SIGNALS:
    void cellChosen(ringside::LoomCell cell);
    void epochChosen(int epoch);
    void samplerChosen(const QString& kind);  // for the experiment
    void explanationChanged();
    void cellHovered(std::optional<ringside::LoomCell> cell);
};

}  // namespace ringside
