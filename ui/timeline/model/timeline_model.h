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

// What all parts of the page look at: the traced steps, the stretch of time in sight, the chosen step and rank.
class TimelineModel : public QObject {
    Q_OBJECT
  public:
    TimelineModel(const RunModel& run, StepCursor& cursor, QObject* parent = nullptr);

    const RunData& run() const;
    const TraceData* trace() const;     // what is shown; null: nothing was traced
    const TraceData* recorded() const;  // what the run did, whatever is shown
    // Steps as they would be, in place of the recorded ones; null: these again.
    void setReplay(std::shared_ptr<const TraceData> replay);
    bool showsReplay() const { return m_replay != nullptr; }
    const LaneClock& clock() const { return m_clock; }
    const std::vector<OpenSpan>& openSpans() const { return m_open; }
    int ranks() const;
    bool isLive() const;

    // In nanoseconds of the lanes (LaneClock).
    double left() const;
    double span() const { return m_span; }
    double right() const { return left() + span(); }

    bool follows() const { return m_follows; }  // the newest steps stay in sight
    void follow();
    void fit();
    void zoom(double factor, double anchor);  // anchor: what stays in place
    void pan(double by);
    void showSteps(std::int64_t first, std::int64_t last);
    void go(int direction);  // chooses the next traced step, or the one before

    std::optional<std::int64_t> chosenStep() const;
    void choose(std::optional<std::int64_t> step);
    // Chosen, or the last whole one in sight; null: there is none.
    const TracedStep* shownStep() const;
    // The first and the last step in sight; both 0 without any.
    std::pair<std::int64_t, std::int64_t> stepsInSight() const;
    // The same with those that only peep in at an edge.
    std::pair<std::int64_t, std::int64_t> stepsTouched() const;
    int chosenRank() const { return m_rank; }
    void chooseRank(int rank);
    int worstRank() const;  // the latest in the shown step; -1: none is

    void read();  // the run has changed

  Q_SIGNALS:
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
    std::int64_t m_leftNs = 0;  // on the run's clock: what is forgotten at the beginning moves nothing
    double m_leftRest = 0;      // from there, in nanoseconds of the lanes
    double m_span = 1e6;
    bool m_follows = true;
    int m_rank = 0;
};

}  // namespace ringside
