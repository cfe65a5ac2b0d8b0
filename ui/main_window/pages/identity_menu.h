// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMenu>
#include <QObject>
#include <optional>

#include "help/help_topics.h"
#include "identity/identity.h"

namespace ringside {

class Navigator;
class PageLinks;
class PlanModel;
class RunModel;
class StepCursor;

// Context menu of a rank, sample, step, epoch or collective. The actions are the same on every page.
class IdentityMenu final : public QObject {
    Q_OBJECT
  public:
    struct Window {
        PlanModel& plan;
        const RunModel& run;
        StepCursor& cursor;
        Navigator& pages;
        PageLinks& links;
    };

    // All objects that `window` refers to must outlive the menu.
    explicit IdentityMenu(const Window& window, QObject* parent = nullptr);

    // Returns the ranks, samples, steps, epochs and collectives that are drawn at `point`, a position in `window`.
    static std::vector<Identity> identitiesUnder(const QWidget& window, const QPoint& point);
    // Adds the name and the actions of the first identity (a rank, sample, step, epoch or collective), and a submenu
    // for each other one.
    void fill(QMenu& menu, const std::vector<Identity>& things);

  Q_SIGNALS:
    void explanationWanted(const ringside::HelpTopic& topic);

  private:
    // rank: rank to show together with `thing`, such as the rank of a sample; 0 if no rank is drawn at the point.
    void addActions(QMenu& menu, const Identity& thing, int rank);
    void showInShards(const Identity& thing, int rank);
    // Shows a rank or a step on a page that draws them.
    void showOn(const QString& page, const Identity& thing);
    void explain(const Identity& thing, int rank);
    std::int64_t stepsPerEpoch() const;
    // Returns the step to which a rank, sample, epoch or collective belongs: the first step of an epoch, or the step
    // that trains a sample in the shown epoch.
    std::optional<std::int64_t> stepOf(const Identity& thing) const;

    Window m_window;
};

}  // namespace ringside
