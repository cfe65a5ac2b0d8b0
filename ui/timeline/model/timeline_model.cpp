// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/model/timeline_model.h"

#include <algorithm>

#include "models/run_model.h"
#include "models/step_cursor.h"

namespace ringside {
namespace {

constexpr int kFollowed = 2;  // number of steps that are visible while the view follows a live run
// a step counts as visible only if its visible part is larger than this share of the visible time
constexpr double kPeeping = 0.032;
constexpr double kMargin = 0.03;   // margin on each side of the shown steps, as a share of the time of these steps
constexpr double kMinSpan = 2000;  // minimum visible time in nanoseconds
constexpr int kStepsAtTheEnd = 3;  // number of steps shown at the end of a failed run

}  // namespace

TimelineModel::TimelineModel(const RunModel& run, StepCursor& cursor, QObject* parent)
    : QObject(parent), m_run(run), m_cursor(cursor) {
    connect(&cursor, &StepCursor::changed, this, &TimelineModel::choiceChanged);
    connect(&run, &RunModel::restarted, this, &TimelineModel::traceReplaced);
}

const RunData& TimelineModel::run() const {
    return m_run.data();
}

const TraceData* TimelineModel::trace() const {
    return m_replay ? m_replay.get() : recorded();
}

void TimelineModel::setReplay(std::shared_ptr<const TraceData> replay) {
    if (replay == m_replay) return;
    if (replay && replay->steps().empty()) replay.reset();
    // Moves the visible range so that the same steps stay visible, although their lengths on the axis have changed.
    const auto [first, last] = visibleSteps();
    m_replay = std::move(replay);
    const bool followed = m_follows;
    Q_EMIT traceReplaced();
    read();
    if (!followed) showSteps(first, last);
}

const TraceData* TimelineModel::recorded() const {
    const auto& trace = m_run.data().trace();
    return trace && !trace->steps().empty() ? &*trace : nullptr;
}

int TimelineModel::ranks() const {
    return trace() ? static_cast<int>(trace()->worldSize()) : 0;
}

bool TimelineModel::isLive() const {
    return run().started() && !run().ended();
}

void TimelineModel::read() {
    if (const TraceData* known = trace()) {
        m_clock.read(*known);
        m_open = showsReplay() ? std::vector<OpenSpan>{} : ringside::openSpans(run());
        std::int64_t until = -1;
        for (const OpenSpan& span : m_open) until = std::max(until, span.endNs);
        m_clock.setOpenEnd(until);
    } else {
        m_clock = {};
        m_open.clear();
        m_follows = true;
    }
    if (m_rank >= ranks()) m_rank = 0;
    if (m_follows) placeAtEnd();
    Q_EMIT dataChanged();
}

double TimelineModel::left() const {
    return m_clock.shownAt(m_leftNs) + m_leftRest;
}

// Shows the last kFollowed (2) steps that all ranks have reported; after a failure kStepsAtTheEnd (3) steps, so that
// the cause is visible.
void TimelineModel::placeAtEnd() {
    const TraceData* known = trace();
    if (known == nullptr) return;
    const int wanted = m_open.empty() ? kFollowed : kStepsAtTheEnd;
    int whole = 0;
    double first = m_clock.beginShown(), last = m_clock.wholeShown();
    for (auto step = known->steps().rbegin(); step != known->steps().rend() && whole < wanted; ++step) {
        if (!step->second.complete()) continue;
        if (whole++ == 0 && m_open.empty()) last = m_clock.shownAt(step->second.endNs);
        first = m_clock.shownAt(step->second.beginNs);
    }
    const double room = (last - first) * kMargin;
    setView(first - room, last - first + 2 * room);
}

void TimelineModel::setView(double left, double span) {
    m_span = std::max(span, kMinSpan);
    m_leftNs = m_clock.timeAt(left);
    m_leftRest = left - m_clock.shownAt(m_leftNs);
}

void TimelineModel::follow() {
    m_follows = true;
    placeAtEnd();
    Q_EMIT viewChanged();
}

void TimelineModel::fit() {
    m_follows = false;
    const double whole = m_clock.wholeShown() - m_clock.beginShown();
    setView(m_clock.beginShown() - whole * kMargin, whole * (1 + 2 * kMargin));
    Q_EMIT viewChanged();
}

void TimelineModel::zoom(double factor, double anchor) {
    m_follows = false;
    const double whole = (m_clock.wholeShown() - m_clock.beginShown()) * (1 + 2 * kMargin);
    const double span = std::clamp(m_span / factor, kMinSpan, std::max(whole, kMinSpan));
    setView(anchor - (anchor - left()) * span / m_span, span);
    Q_EMIT viewChanged();
}

void TimelineModel::pan(double by) {
    m_follows = false;
    const double lowest = m_clock.beginShown() - m_span / 2, highest = m_clock.wholeShown() - m_span / 2;
    setView(std::clamp(left() + by, lowest, std::max(lowest, highest)), m_span);
    Q_EMIT viewChanged();
}

void TimelineModel::showSteps(std::int64_t first, std::int64_t last) {
    const TracedStep* from = trace() ? trace()->find(first) : nullptr;
    const TracedStep* to = trace() ? trace()->find(last) : nullptr;
    if (from == nullptr || to == nullptr) return;
    m_follows = false;
    const double begin = m_clock.shownAt(from->beginNs), end = m_clock.shownAt(to->endNs);
    const double room = (end - begin) * kMargin;
    setView(begin - room, end - begin + 2 * room);
    Q_EMIT viewChanged();
}

void TimelineModel::selectNeighbour(int direction) {
    const TracedStep* now = shownStep();
    if (now == nullptr) return;
    const auto& steps = trace()->steps();
    auto at = steps.find(now->step);
    if (direction > 0 && std::next(at) != steps.end()) ++at;
    if (direction < 0 && at != steps.begin()) --at;
    choose(at->first);
    const double begin = m_clock.shownAt(at->second.beginNs), end = m_clock.shownAt(at->second.endNs);
    m_follows = false;
    if (end - begin > m_span || begin < left() || end > right()) setView((begin + end - m_span) / 2, m_span);
    Q_EMIT viewChanged();
}

std::optional<std::int64_t> TimelineModel::chosenStep() const {
    return m_cursor.step();
}

void TimelineModel::choose(std::optional<std::int64_t> step) {
    m_cursor.choose(step);
}

const TracedStep* TimelineModel::shownStep() const {
    const TraceData* known = trace();
    if (known == nullptr) return nullptr;
    if (m_cursor.step()) {
        if (const TracedStep* chosen = known->find(*m_cursor.step())) return chosen;
    }
    const TracedStep* best = nullptr;
    for (auto step = known->steps().rbegin(); step != known->steps().rend(); ++step) {
        if (!step->second.complete()) continue;
        best = &step->second;
        if (m_clock.shownAt(best->endNs) <= right()) break;
    }
    return best != nullptr ? best : &known->steps().rbegin()->second;
}

std::pair<std::int64_t, std::int64_t> TimelineModel::visibleSteps() const {
    const double edge = kPeeping * m_span;
    const auto found = stepsBetween(m_clock.timeAt(left() + edge), m_clock.timeAt(right() - edge));
    return found.first > 0 ? found : partlyVisibleSteps();
}

std::pair<std::int64_t, std::int64_t> TimelineModel::partlyVisibleSteps() const {
    return stepsBetween(m_clock.timeAt(left()), m_clock.timeAt(right()));
}

std::pair<std::int64_t, std::int64_t> TimelineModel::stepsBetween(std::int64_t from, std::int64_t to) const {
    std::pair<std::int64_t, std::int64_t> found{0, 0};
    if (trace() == nullptr) return found;
    const auto& steps = trace()->steps();
    // Steps are sorted by number, which is also the order of their begins. Therefore the first step that begins at or
    // after the right edge `to` ends the loop.
    auto first = std::ranges::find_if(steps, [&](const auto& one) { return one.second.endNs > from; });
    for (; first != steps.end() && first->second.beginNs < to; ++first) {
        if (found.first == 0) found.first = first->first;
        found.second = first->first;
    }
    return found;
}

void TimelineModel::chooseRank(int rank) {
    if (rank == m_rank || rank < 0 || rank >= ranks()) return;
    m_rank = rank;
    Q_EMIT choiceChanged();
}

int TimelineModel::latestRank() const {
    const TracedStep* step = shownStep();
    int worst = -1;
    std::int64_t most = 0;
    for (std::size_t rank = 0; step != nullptr && rank < step->ranks.size(); ++rank) {
        const std::int64_t late = latenessOf(*step, rank);
        if (late > most) {
            most = late;
            worst = static_cast<int>(rank);
        }
    }
    return worst;
}

}  // namespace ringside
