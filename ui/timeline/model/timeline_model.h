// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <memory>
#include <optional>
#include <vector>

#include "timeline/model/lane_clock.h"
#include "timeline/model/lane_spans.h"

namespace ringside {

class RunModel;
class StepCursor;

// State shared by all parts of the Timeline page: traced steps, visible time range, selected step and rank.
class TimelineModel : public QObject {
    Q_OBJECT
  public:
    TimelineModel(const RunModel& run, StepCursor& cursor, QObject* parent = nullptr);

    const RunData& run() const;
    const TraceData* trace() const;     // returns the shown traces; null: nothing was traced
    const TraceData* recorded() const;  // returns the recorded traces, also while simulated steps are shown
    // Shows simulated steps instead of the recorded ones; null shows the recorded steps again.
    void setReplay(std::shared_ptr<const TraceData> replay);
    bool showsReplay() const { return m_replay != nullptr; }
    const LaneClock& clock() const { return m_clock; }
    const std::vector<OpenSpan>& openSpans() const { return m_open; }
    int ranks() const;
    bool isLive() const;

    // Visible range of the axis with shortened gaps (LaneClock), in nanoseconds.
    double left() const;
    double span() const { return m_span; }
    double right() const { return left() + span(); }

    bool follows() const { return m_follows; }  // returns true if the view moves so that the newest steps stay visible
    void follow();
    void fit();
    void zoom(double factor, double anchor);  // zooms in by `factor`; `anchor` is the position on the lanes that stays
                                              // in place
    void pan(double by);
    void showSteps(std::int64_t first, std::int64_t last);
    // selects the next traced step (direction > 0) or the previous one (direction < 0)
    void selectNeighbour(int direction);

    std::optional<std::int64_t> chosenStep() const;
    void choose(std::optional<std::int64_t> step);
    // Returns the selected step or, if none is selected, the last step up to the right edge that all ranks have
    // reported; null if nothing is traced.
    const TracedStep* shownStep() const;
    // Returns the first and the last visible step, without steps of which only a narrow part at an edge is visible;
    // both 0 if there are none.
    std::pair<std::int64_t, std::int64_t> visibleSteps() const;
    // Returns the first and the last step of which at least a part is visible; both 0 if there are none.
    std::pair<std::int64_t, std::int64_t> partlyVisibleSteps() const;
    int chosenRank() const { return m_rank; }
    void chooseRank(int rank);
    // returns the rank that is latest at the collectives of the shown step; -1: no rank is late
    int latestRank() const;

    void read();  // updates this object from the run and emits dataChanged()

  Q_SIGNALS:
    void traceReplaced();  // emitted when another run or other traces are shown: values read before are no longer valid
    void dataChanged();
    void viewChanged();
    void choiceChanged();

  private:
    std::pair<std::int64_t, std::int64_t> stepsBetween(std::int64_t from, std::int64_t to) const;
    void setView(double left, double span);
    void placeAtEnd();

    const RunModel& m_run;
    StepCursor& m_cursor;
    LaneClock m_clock;
    std::vector<OpenSpan> m_open;
    std::shared_ptr<const TraceData> m_replay;
    std::int64_t m_leftNs = 0;  // time at the left edge on the run's clock; such a time stays valid when old steps are
                                // dropped
    double m_leftRest = 0;  // distance from m_leftNs to the left edge, in nanoseconds on the axis with shortened gaps
    double m_span = 1e6;
    bool m_follows = true;
    int m_rank = 0;
};

}  // namespace ringside
