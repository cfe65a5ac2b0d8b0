// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <memory>
#include <optional>
#include <vector>

#include "shards/scene/explanation.h"
#include "shards/scene/grid_cell.h"
#include "shards/scene/shard_scene.h"
#include "tables/table_data.h"

namespace ringside {

struct PlanHit;
struct RunProgress;
// Matches of a search, in training order. Samples that no rank gets are last. May be null.
using Hits = std::shared_ptr<const std::vector<PlanHit>>;

// View of a plan on the Shards page. Only the visible view receives scenes; all views share the selection of the page.
class ShardView : public QWidget {
    Q_OBJECT
  public:
    using QWidget::QWidget;
    virtual void setScene(const ShardScene& scene) = 0;
    // Sets the selected sample, and its cell if it has one in the plan.
    virtual void setSelected(std::optional<qint64> sample, std::optional<GridCell> cell) = 0;
    virtual void reveal(GridCell) {}
    // Frees memory whose contents can be computed again. Called when another view becomes visible.
    virtual void freeMemory() {}
    virtual void setHits(const Hits&) {}             // marks the matches of a search
    virtual void setProgress(const RunProgress&) {}  // sets which slots of the scene a run has trained
    // Marks the slots of a step that the user has chosen on another page; empty: no step.
    virtual void setStep(std::optional<CellRange>) {}
    // Returns an explanation of the view as a whole, which the page shows instead of the explanation of the selected
    // sample; empty if the view has none.
    virtual std::optional<Explanation> explanation() const { return {}; }
    // Returns the widget that handles the keys of the view.
    virtual QWidget* keyboardWidget() { return this; }
    virtual TableData table() const = 0;  // returns the contents of the view as rows
    // True if the picture shows the latest scene; false while a worker draws it.
    virtual bool isSettled() const { return true; }
    virtual qint64 cellsDrawn() const { return 0; }  // returns the number of samples that the last picture shows

  Q_SIGNALS:
    void cellChosen(ringside::GridCell cell);
    void epochChosen(int epoch);
    void samplerChosen(const QString& kind);  // emitted when the user wants another sampler in the experiment
    void explanationChanged();
    void cellHovered(std::optional<ringside::GridCell> cell);
};

}  // namespace ringside
