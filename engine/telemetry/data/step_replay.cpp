// SPDX-License-Identifier: Apache-2.0
#include "telemetry/data/step_replay.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <random>

namespace ringside {
namespace {

constexpr std::int64_t kSmallBytes = 64 << 10;

// One thing that a rank's training thread does, in order.
struct Item {
    enum class Kind { kWork, kReady, kWait };
    Kind kind = Kind::kWork;
    Phase phase = Phase::kIdle;
    double ns = 0;               // of work; of a wait: from the collective's end to the thread going on
    std::size_t collective = 0;  // of the rank, kReady and kWait
};

struct PlayedCollective {
    std::size_t meeting = 0;
    double delayNs = 0;  // between its turn and its arrival
    double moveNs = 0;
};

struct RankPlan {
    std::vector<Item> items;
    std::vector<PlayedCollective> collectives;  // in order
};

struct StepPlan {
    std::vector<RankPlan> ranks;
    std::size_t meetings = 0;
};

bool isCommunicating(const Span& span) {
    return isCommunication(span.phase);
}

// What ended the wait: the last collective that came to its end in it.
std::optional<std::size_t> awaitedIn(const std::vector<CollectiveSpan>& collectives, std::int64_t from,
                                     std::int64_t to) {
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < collectives.size(); ++i)
        if (collectives[i].endedNs > from && collectives[i].endedNs <= to &&
            (!found || collectives[i].endedNs >= collectives[*found].endedNs))
            found = i;
    return found;
}

class PlanMaker {
  public:
    PlanMaker(const RankTrace& rank, const std::map<std::pair<std::int64_t, std::int64_t>, std::size_t>& meetings)
        : m_rank(rank), m_collectives(rank.collectives) {
        std::ranges::stable_sort(m_collectives, {}, &CollectiveSpan::readyNs);
        std::map<std::int64_t, std::int64_t> freeAt;  // by group
        for (const CollectiveSpan& one : m_collectives) {
            std::int64_t& free = freeAt[one.group];
            const std::int64_t turn = std::max(one.readyNs, free);
            const std::int64_t last = one.lastNs < 0 ? one.arrivedNs : one.lastNs;
            m_plan.collectives.push_back({meetings.at({one.group, one.number}),
                                          static_cast<double>(std::max<std::int64_t>(one.arrivedNs - turn, 0)),
                                          static_cast<double>(std::max<std::int64_t>(one.endedNs - last, 0))});
            free = std::max(free, one.endedNs);
        }
    }

    RankPlan make() {
        for (std::size_t i = 0; i < m_rank.spans.size();) {
            std::size_t end = i + 1;
            while (isCommunicating(m_rank.spans[i]) && end < m_rank.spans.size() && isCommunicating(m_rank.spans[end]))
                ++end;
            const std::int64_t from = m_rank.spans[i].beginNs;
            const std::int64_t to = m_rank.spans[end - 1].endNs;
            if (isCommunicating(m_rank.spans[i])) {
                addWait(from, to);
            } else {
                addWork(m_rank.spans[i].phase, from, to);
            }
            i = end;
        }
        announceUntil(m_rank.endNs + 1);
        return std::move(m_plan);
    }

  private:
    void announceUntil(std::int64_t ns) {
        for (; m_next < m_collectives.size() && m_collectives[m_next].readyNs < ns; ++m_next)
            m_plan.items.push_back({Item::Kind::kReady, Phase::kIdle, 0, m_next});
    }
    void addWork(Phase phase, std::int64_t from, std::int64_t to) {
        while (m_next < m_collectives.size() && m_collectives[m_next].readyNs < to) {
            const std::int64_t ready = std::max(m_collectives[m_next].readyNs, from);
            m_plan.items.push_back({Item::Kind::kWork, phase, static_cast<double>(ready - from), 0});
            from = ready;
            announceUntil(ready + 1);
        }
        m_plan.items.push_back({Item::Kind::kWork, phase, static_cast<double>(to - from), 0});
    }
    // Collectives asked for one after the other in one wait are awaited one after the other.
    void addWait(std::int64_t from, std::int64_t to) {
        while (m_next < m_collectives.size() && m_collectives[m_next].readyNs < to) {
            const std::int64_t ready = std::max(m_collectives[m_next].readyNs, from);
            if (ready > from) waitFor(from, ready);
            from = ready;
            announceUntil(ready + 1);
        }
        waitFor(from, to);
    }
    void waitFor(std::int64_t from, std::int64_t to) {
        const std::optional<std::size_t> awaited = awaitedIn(m_collectives, from, to);
        if (!awaited) {
            m_plan.items.push_back({Item::Kind::kWork, Phase::kWaiting, static_cast<double>(to - from), 0});
            return;
        }
        m_plan.items.push_back(
            {Item::Kind::kWait, Phase::kWaiting, static_cast<double>(to - m_collectives[*awaited].endedNs), *awaited});
    }

    const RankTrace& m_rank;
    std::vector<CollectiveSpan> m_collectives;
    RankPlan m_plan;
    std::size_t m_next = 0;  // collective not asked for yet
};

StepPlan planOf(const TracedStep& step) {
    std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> meetings;
    for (const Meeting& meeting : step.meetings)
        meetings.emplace(std::pair(meeting.group, meeting.number), meetings.size());
    StepPlan plan;
    plan.meetings = meetings.size();
    for (const RankTrace& rank : step.ranks) plan.ranks.push_back(PlanMaker(rank, meetings).make());
    return plan;
}

double workIn(const RankPlan& rank, Phase phase) {
    double sum = 0;
    for (const Item& item : rank.items)
        if (item.kind == Item::Kind::kWork && item.phase == phase) sum += item.ns;
    return sum;
}

void withoutDelay(StepPlan& step, std::size_t rank) {
    for (int phase = 0; phase < kPhaseCount; ++phase) {
        std::vector<double> others;
        for (std::size_t other = 0; other < step.ranks.size(); ++other)
            if (other != rank) others.push_back(workIn(step.ranks[other], static_cast<Phase>(phase)));
        const double own = workIn(step.ranks[rank], static_cast<Phase>(phase));
        if (others.empty() || own <= 0) continue;
        std::ranges::nth_element(others, others.begin() + static_cast<std::ptrdiff_t>(others.size() / 2));
        const double factor = std::min(1.0, others[others.size() / 2] / own);
        for (Item& item : step.ranks[rank].items)
            if (item.kind == Item::Kind::kWork && item.phase == static_cast<Phase>(phase)) item.ns *= factor;
    }
}

// Every collective is asked for just before the training thread first waits for one.
void withoutOverlap(RankPlan& rank) {
    std::vector<Item> items;
    std::vector<Item> held;
    for (const Item& item : rank.items) {
        if (item.kind == Item::Kind::kReady) {
            held.push_back(item);
            continue;
        }
        if (item.kind == Item::Kind::kWait) {
            items.insert(items.end(), held.begin(), held.end());
            held.clear();
        }
        items.push_back(item);
    }
    items.insert(items.end(), held.begin(), held.end());
    rank.items = std::move(items);
}

// A collective's time is a latency, as small ones show it, and its bytes.
void applyChange(const StepChange& change, const TracedStep& traced, StepPlan& step) {
    if (change.withoutDelayOf >= 0 && static_cast<std::size_t>(change.withoutDelayOf) < step.ranks.size())
        withoutDelay(step, static_cast<std::size_t>(change.withoutDelayOf));
    for (RankPlan& rank : step.ranks) {
        double latency = 0;
        for (const PlayedCollective& one : rank.collectives)
            if (traced.meetings[one.meeting].bytes <= kSmallBytes && (latency == 0 || one.moveNs < latency))
                latency = one.moveNs;
        for (PlayedCollective& one : rank.collectives) {
            const double start = std::min(latency, one.moveNs);
            one.moveNs = start * change.latency + (one.moveNs - start) / change.bandwidth;
        }
        if (change.noOverlap) withoutOverlap(rank);
    }
}

// Plays steps one after the other; every rank begins one when it has ended the one before.
class Player {
  public:
    explicit Player(std::size_t ranks) : m_now(ranks, 0.0) {}

    void startAt(const std::vector<double>& begins) { m_now = begins; }
    void pause(const std::vector<double>& gaps) {
        for (std::size_t rank = 0; rank < m_now.size(); ++rank) m_now[rank] += gaps[rank];
    }

    // Nanoseconds at which the last rank has ended it.
    double play(const StepPlan& step) {
        m_step = &step;
        const std::size_t ranks = step.ranks.size();
        m_at.assign(ranks, 0);
        m_free.assign(ranks, 0);
        m_arrived.assign(step.meetings, 0);
        m_last.assign(step.meetings, 0);
        m_ended.assign(ranks, {});
        m_turns.assign(ranks, {});
        for (std::size_t rank = 0; rank < ranks; ++rank) m_ended[rank].assign(step.ranks[rank].collectives.size(), -1);
        m_expected.assign(step.meetings, 0);
        for (const RankPlan& rank : step.ranks)
            for (const PlayedCollective& one : rank.collectives) ++m_expected[one.meeting];
        for (bool moved = true; moved;) {
            moved = false;
            for (std::size_t rank = 0; rank < ranks; ++rank) moved = advance(rank) || moved;
        }
        return *std::ranges::max_element(m_now);
    }

  private:
    bool advance(std::size_t rank) {
        const std::vector<Item>& items = m_step->ranks[rank].items;
        bool moved = serve(rank);
        for (; m_at[rank] < items.size(); ++m_at[rank], moved = true) {
            const Item& item = items[m_at[rank]];
            if (item.kind == Item::Kind::kWork) {
                m_now[rank] += item.ns;
            } else if (item.kind == Item::Kind::kReady) {
                m_turns[rank].push_back({item.collective, m_now[rank]});
                serve(rank);
            } else {
                const double ended = m_ended[rank][item.collective];
                if (ended < 0) return moved;
                m_now[rank] = std::max(m_now[rank], ended) + item.ns;
            }
        }
        return moved;
    }

    // The rank's collectives go one after the other: the first that is not over arrives, and ends when all have come.
    bool serve(std::size_t rank) {
        bool moved = false;
        while (!m_turns[rank].empty()) {
            Turn& turn = m_turns[rank].front();
            const PlayedCollective& one = m_step->ranks[rank].collectives[turn.collective];
            if (!turn.arrived) {
                const double at = std::max(turn.readyNs, m_free[rank]) + one.delayNs;
                m_last[one.meeting] = std::max(m_last[one.meeting], at);
                ++m_arrived[one.meeting];
                turn.arrived = moved = true;
            }
            if (m_arrived[one.meeting] < m_expected[one.meeting]) return moved;
            m_free[rank] = m_ended[rank][turn.collective] = m_last[one.meeting] + one.moveNs;
            m_turns[rank].erase(m_turns[rank].begin());
            moved = true;
        }
        return moved;
    }

    struct Turn {
        std::size_t collective = 0;
        double readyNs = 0;
        bool arrived = false;
    };
    const StepPlan* m_step = nullptr;
    std::vector<double> m_now;  // by rank
    std::vector<std::size_t> m_at;
    std::vector<double> m_free;
    std::vector<std::vector<Turn>> m_turns;
    std::vector<std::vector<double>> m_ended;
    std::vector<int> m_arrived;  // by meeting
    std::vector<int> m_expected;
    std::vector<double> m_last;
};

// Steps that follow one another without a gap in their numbers.
std::vector<std::vector<const TracedStep*>> runsOf(const TraceData& trace) {
    std::vector<std::vector<const TracedStep*>> runs;
    const TracedStep* before = nullptr;
    for (const auto& [number, step] : trace.steps()) {
        if (!step.complete()) continue;
        const bool follows = before != nullptr && number == before->step + 1 && step.epoch == before->epoch;
        if (!follows) runs.emplace_back();
        runs.back().push_back(&step);
        before = &step;
    }
    return runs;
}

std::vector<double> gapsBetween(const TracedStep& before, const TracedStep& step) {
    std::vector<double> gaps;
    for (std::size_t rank = 0; rank < step.ranks.size(); ++rank)
        gaps.push_back(
            static_cast<double>(std::max<std::int64_t>(step.ranks[rank].beginNs - before.ranks[rank].endNs, 0)));
    return gaps;
}

StepPlan changedPlan(const TracedStep& step, const StepChange* wanted) {
    StepPlan plan = planOf(step);
    if (wanted != nullptr) applyChange(*wanted, step, plan);
    return plan;
}

double latestEnd(const TracedStep& step) {
    std::int64_t latest = step.beginNs;
    for (const RankTrace& rank : step.ranks) latest = std::max(latest, rank.endNs);
    return static_cast<double>(latest);
}

struct StepTimes {
    std::vector<double> measured;
    std::vector<double> played;
};

// From the end of the first step on, which only sets the ranks going.
void playRun(const std::vector<const TracedStep*>& run, const StepChange* wanted, StepTimes& times) {
    Player player(run.front()->ranks.size());
    std::vector<double> begins;
    for (const RankTrace& rank : run.front()->ranks)
        begins.push_back(static_cast<double>(rank.beginNs - run.front()->beginNs));
    player.startAt(begins);
    double before = player.play(changedPlan(*run.front(), wanted));
    for (std::size_t i = 1; i < run.size(); ++i) {
        player.pause(gapsBetween(*run[i - 1], *run[i]));
        const double end = player.play(changedPlan(*run[i], wanted));
        times.played.push_back(end - before);
        times.measured.push_back(latestEnd(*run[i]) - latestEnd(*run[i - 1]));
        before = end;
    }
}

void playAlone(const TracedStep& step, const StepChange* wanted, StepTimes& times) {
    const StepPlan plan = changedPlan(step, wanted);
    Player player(step.ranks.size());
    const double first = player.play(plan);
    times.played.push_back(player.play(plan) - first);
    std::int64_t longest = 0;
    for (const RankTrace& rank : step.ranks) longest = std::max(longest, rank.endNs - rank.beginNs);
    times.measured.push_back(static_cast<double>(longest));
}

StepTimes play(const TraceData& trace, const StepChange* wanted) {
    StepTimes times;
    const auto runs = runsOf(trace);
    const bool whole = std::ranges::any_of(runs, [](const auto& run) { return run.size() > 1; });
    for (const auto& run : runs) {
        if (run.size() > 1)
            playRun(run, wanted, times);
        else if (!whole)
            playAlone(*run.front(), wanted, times);
    }
    return times;
}

double meanMs(const std::vector<double>& ns) {
    return ns.empty() ? 0 : std::accumulate(ns.begin(), ns.end(), 0.0) / static_cast<double>(ns.size()) / 1e6;
}

// The 5 % and 95 % marks of means over as many steps drawn with replacement.
std::pair<double, double> spreadOfMean(const std::vector<double>& ns) {
    constexpr int kDraws = 400;
    std::mt19937 random(1);  // the same interval each time it is asked
    std::vector<double> means;
    for (int draw = 0; draw < kDraws; ++draw) {
        double sum = 0;
        for (std::size_t i = 0; i < ns.size(); ++i) sum += ns[random() % ns.size()];
        means.push_back(sum / static_cast<double>(ns.size()) / 1e6);
    }
    std::ranges::sort(means);
    return {means[kDraws / 20], means[kDraws - 1 - kDraws / 20]};
}

}  // namespace

ReplayResult replaySteps(const TraceData& trace, const StepChange& change) {
    ReplayResult result;
    const StepTimes same = play(trace, nullptr);
    if (same.played.empty()) return result;
    const StepTimes changed = play(trace, &change);
    result.steps = static_cast<std::int64_t>(same.played.size());
    result.measured = meanMs(same.measured);
    result.replayed = meanMs(same.played);
    result.predicted = meanMs(changed.played);
    const auto [low, high] = spreadOfMean(changed.played);
    const double error = result.replayed > 0 ? std::abs(result.replayed - result.measured) / result.replayed : 0;
    result.low = std::max(0.0, low - error * result.predicted);
    result.high = high + error * result.predicted;
    return result;
}

}  // namespace ringside
