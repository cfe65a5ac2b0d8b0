// SPDX-License-Identifier: Apache-2.0
#include "whatif/step_changes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "telemetry/traces/rank_work.h"

// Each change edits the plan of a step (StepPlan), which is then replayed. withoutDelay() shortens the work of one rank
// to the other ranks' median. scaleMoves() splits the time of each collective or message into a latency and a part
// proportional to its bytes, and scales both. withoutOverlap() delays requests of collectives until the next wait.
// withBuckets() replaces the gradient collectives by buckets of another size, each requested when the rank has done as
// much work as the recorded rank needed for the same number of gradient bytes. withRanks() copies or removes ranks and
// scales the collectives as in a ring.
namespace ringside {
namespace {

constexpr double kSmallBytes = 64 << 10;
constexpr double kMaxBuckets = 1000;               // maximum number of buckets in one step of a rank
constexpr int kAllReduce = 0, kReduceScatter = 3;  // values of CollectiveKind
// Returns a rank's work in consecutive pieces, each with its nanoseconds per phase. A new piece begins at each request
// of a collective.
std::vector<PhaseWork> workPieces(const RankPlan& rank) {
    std::vector<PhaseWork> pieces(1, PhaseWork{});
    for (const PlanItem& item : rank.items) {
        if (item.kind == PlanItem::Kind::kReady) pieces.emplace_back(PhaseWork{});
        if (item.kind == PlanItem::Kind::kWork) pieces.back()[static_cast<std::size_t>(item.phase)] += item.ns;
    }
    return pieces;
}

// Limits the work of a pipeline rank to the time that its stage needs without a delay, computed from the work of the
// other ranks and the planned share of each stage.
void withoutStageDelay(StepPlan& step, std::size_t rank, StageTime stageTime) {
    const std::vector<PhaseWork> work = workOf(step);
    const double factor = largestPlanErrorFactor(step, work, rank);
    ExpectedWork expected{.isFasterIfSmaller = stageTime != StageTime::kLongest};
    if (stageTime == StageTime::kShortest) expected.scale = 1 / factor;
    if (stageTime == StageTime::kLongest) expected.scale = factor;
    removeWork(step.ranks[rank], excessWork(step, work, rank, expected));
}

// Limits the work of a rank to the median of the other ranks. In a pipeline, the limit applies to each phase;
// otherwise, it applies to each piece of work between two requests of collectives.
void withoutDelay(StepPlan& step, std::size_t rank, StageTime stageTime) {
    if (!step.messages.empty()) return withoutStageDelay(step, rank, stageTime);
    std::vector<std::vector<PhaseWork>> others;
    for (std::size_t other = 0; other < step.ranks.size(); ++other)
        if (other != rank) others.push_back(workPieces(step.ranks[other]));
    if (others.empty()) return;
    const std::vector<PhaseWork> own = workPieces(step.ranks[rank]);
    const auto factor = [&](std::size_t piece, std::size_t phase) {
        std::vector<double> work;
        for (const auto& one : others) work.push_back(piece < one.size() ? one[piece][phase] : 0);
        return own[piece][phase] > 0 ? std::min(1.0, upperMedianOf(work) / own[piece][phase]) : 1.0;
    };
    std::size_t piece = 0;
    for (PlanItem& item : step.ranks[rank].items) {
        if (item.kind == PlanItem::Kind::kReady) ++piece;
        if (item.kind == PlanItem::Kind::kWork) item.ns *= factor(piece, static_cast<std::size_t>(item.phase));
    }
}

// Delays the request of each collective until just before the next wait of the rank's training thread.
void withoutOverlap(RankPlan& rank) {
    std::vector<PlanItem> items;
    std::vector<PlanItem> held;
    for (const PlanItem& item : rank.items) {
        if (item.kind == PlanItem::Kind::kReady) {
            held.push_back(item);
            continue;
        }
        if (item.kind == PlanItem::Kind::kWait || item.kind == PlanItem::Kind::kMeet) {
            items.insert(items.end(), held.begin(), held.end());
            held.clear();
        }
        items.push_back(item);
    }
    items.insert(items.end(), held.begin(), held.end());
    rank.items = std::move(items);
}

// Returns the latency in nanoseconds: the intercept of the least-squares line through the bytes and times of
// collectives or messages; 0 if their sizes are too similar.
template <class Move>
double latencyOfLine(const std::vector<Move>& moves) {
    double n = 0, bytes = 0, ns = 0, square = 0, product = 0;
    double smallest = std::numeric_limits<double>::max(), largest = 0, shortest = smallest;
    for (const Move& one : moves) {
        if (one.bytes <= 0) continue;
        n += 1;
        bytes += one.bytes;
        ns += one.moveNs;
        square += one.bytes * one.bytes;
        product += one.bytes * one.moveNs;
        smallest = std::min(smallest, one.bytes);
        largest = std::max(largest, one.bytes);
        shortest = std::min(shortest, one.moveNs);
    }
    if (n < 2 || largest < 2 * smallest) return 0;
    const double slope = (n * product - bytes * ns) / (n * square - bytes * bytes);
    return std::clamp((ns - slope * bytes) / n, 0.0, shortest);
}

// Returns the latency of collectives or messages: the shortest time of small collectives or messages, or if there are
// none, that of latencyOfLine().
template <class Move>
double latencyOf(const std::vector<Move>& moves) {
    double latency = 0;
    for (const Move& one : moves)
        if (one.bytes <= kSmallBytes && one.moveNs > 0 && (latency == 0 || one.moveNs < latency)) latency = one.moveNs;
    return latency > 0 ? latency : latencyOfLine(moves);
}

template <class Move>
void scaleMoves(std::vector<Move>& moves, double latencyTimes, double bytesTimes) {
    const double latency = latencyOf(moves);
    for (Move& one : moves) {
        const double start = std::min(latency, one.moveNs);
        one.moveNs = start * latencyTimes + (one.moveNs - start) * bytesTimes;
    }
}

bool isGradients(const PlayedCollective& one) {
    return (one.kind == kAllReduce || one.kind == kReduceScatter) && one.bytes > 0;
}

// Number of gradient bytes that are ready after a given amount of the rank's work. The points are the recorded buckets,
// connected by straight lines; the first line starts at the begin of the backward pass.
struct ReadyCurve {
    std::vector<double> workNs, bytes;
    double delayNs = 0;
    double moveNs = 0;

    double workAt(double wanted) const {
        for (std::size_t i = 1; i < bytes.size(); ++i) {
            if (bytes[i] < wanted && i + 1 < bytes.size()) continue;
            const double width = bytes[i] - bytes[i - 1];
            const double share = width > 0 ? (wanted - bytes[i - 1]) / width : 1;
            return workNs[i - 1] + std::clamp(share, 0.0, 1.0) * (workNs[i] - workNs[i - 1]);
        }
        return workNs.back();
    }
};

std::optional<ReadyCurve> readyCurve(const RankPlan& rank) {
    ReadyCurve curve;
    double work = 0, backward = -1, bytes = 0;
    std::size_t count = 0;
    for (const PlanItem& item : rank.items) {
        if (item.kind == PlanItem::Kind::kWork) {
            if (item.phase == Phase::kBackward && backward < 0) {
                backward = work;
                curve.workNs.push_back(work);
                curve.bytes.push_back(0);
            }
            work += item.ns;
        } else if (item.kind == PlanItem::Kind::kReady && isGradients(rank.collectives[item.collective])) {
            const PlayedCollective& one = rank.collectives[item.collective];
            bytes += one.bytes;
            curve.workNs.push_back(work);
            curve.bytes.push_back(bytes);
            curve.moveNs += one.moveNs;
            curve.delayNs += one.delayNs;
            ++count;
        }
    }
    if (count == 0 || backward < 0) return {};
    curve.delayNs /= static_cast<double>(count);
    return curve;
}

// Replaces the gradient collectives of a rank by buckets of another size, each requested when its bytes are ready.
class Rebucketing {
  public:
    Rebucketing(RankPlan& rank, const ReadyCurve& curve, double bucketBytes, std::size_t firstMeeting)
        : m_rank(rank), m_curve(curve), m_latency(latencyOf(rank.collectives)) {
        const double total = curve.bytes.back();
        bucketBytes = std::max(bucketBytes, total / kMaxBuckets);
        for (const PlayedCollective& one : rank.collectives) {
            m_newIndex.push_back(isGradients(one) ? kGone : m_collectives.size());
            if (!isGradients(one)) m_collectives.push_back(one);
        }
        std::size_t old = 0;
        for (const PlayedCollective& one : rank.collectives) old += isGradients(one) ? 1 : 0;
        const double start = std::min(m_latency, curve.moveNs / static_cast<double>(old));
        const double perByte = std::max(0.0, curve.moveNs - start * static_cast<double>(old)) / total;
        for (double done = 0; done < total; done += bucketBytes) {
            const double bytes = std::min(bucketBytes, total - done);
            m_ready.push_back(curve.workAt(done + bytes));
            m_collectives.push_back({firstMeeting++, curve.delayNs, start + perByte * bytes, bytes, kAllReduce});
        }
        m_firstBucket = m_collectives.size() - m_ready.size();
    }

    std::size_t buckets() const { return m_ready.size(); }

    void apply() {
        for (const PlanItem& item : m_rank.items) take(item);
        addRequestsUpTo(m_work + 1);
        m_rank.items = std::move(m_items);
        m_rank.collectives = std::move(m_collectives);
    }

  private:
    static constexpr std::size_t kGone = static_cast<std::size_t>(-1);

    // Adds the requests of the buckets that are ready after `work` nanoseconds of work and were not added yet.
    void addRequestsUpTo(double work) {
        for (; m_next < m_ready.size() && m_ready[m_next] <= work; ++m_next)
            m_items.push_back({PlanItem::Kind::kReady, Phase::kIdle, 0, m_firstBucket + m_next});
    }
    void take(PlanItem item) {
        if (item.kind == PlanItem::Kind::kWork) {
            while (m_next < m_ready.size() && m_ready[m_next] < m_work + item.ns) {
                const double part = std::max(0.0, m_ready[m_next] - m_work);
                m_items.push_back({item.kind, item.phase, part, 0});
                m_work += part;
                item.ns -= part;
                addRequestsUpTo(m_work);
            }
            m_work += item.ns;
            m_items.push_back(item);
            return addRequestsUpTo(m_work);
        }
        const bool gone = m_newIndex[item.collective] == kGone;
        if (!gone) {
            item.collective = m_newIndex[item.collective];
            m_items.push_back(item);
        } else if (item.kind == PlanItem::Kind::kWait) {
            addRequestsUpTo(m_curve.workNs.back());
            // Waits for the last bucket only: buckets are reduced in order, so all earlier buckets are complete by
            // then.
            m_items.push_back({item.kind, item.phase, item.ns, m_collectives.size() - 1});
        }
    }

    RankPlan& m_rank;
    const ReadyCurve& m_curve;
    double m_latency;
    std::vector<std::size_t> m_newIndex;
    std::vector<PlayedCollective> m_collectives;
    std::vector<PlanItem> m_items;
    std::vector<double> m_ready;
    std::size_t m_firstBucket = 0;
    std::size_t m_next = 0;
    double m_work = 0;
};

void withBuckets(StepPlan& step, double bucketBytes) {
    std::size_t buckets = 0;
    for (RankPlan& rank : step.ranks) {
        const std::optional<ReadyCurve> curve = readyCurve(rank);
        if (!curve) continue;
        Rebucketing rebucketing(rank, *curve, bucketBytes, step.arrivals);
        buckets = std::max(buckets, rebucketing.buckets());
        rebucketing.apply();
    }
    step.arrivals += buckets;
}

// Changes the number of ranks to `wanted`: removes ranks, or adds copies of ranks with their work in the steps
// `others`. Scales the duration of collectives as for a ring all-reduce: in a ring of W ranks, each rank sends
// (W - 1) / W of the bytes twice, each time in W - 1 rounds.
void withRanks(StepPlan& step, std::size_t wanted, const std::vector<const StepPlan*>& others) {
    const std::size_t had = step.ranks.size();
    if (had < 2 || wanted == had) return;
    const std::vector<RankPlan> own = step.ranks;
    step.ranks.resize(std::min(wanted, had));
    while (step.ranks.size() < wanted) {
        const std::size_t rank = step.ranks.size() % had, round = step.ranks.size() / had;
        const RankPlan* found = &own[rank];
        if (!others.empty()) {
            const RankPlan& other = others[round % others.size()]->ranks[rank];
            if (other.collectives.size() == found->collectives.size()) found = &other;
        }
        step.ranks.push_back(*found);
        // The new rank must take part in the collectives of this step, even if its work is copied from another step.
        for (std::size_t i = 0; i < found->collectives.size(); ++i)
            step.ranks.back().collectives[i].meeting = own[rank].collectives[i].meeting;
    }
    const auto from = static_cast<double>(had), to = static_cast<double>(wanted);
    for (RankPlan& rank : step.ranks)
        scaleMoves(rank.collectives, (to - 1) / (from - 1), (to - 1) / to * from / (from - 1));
}

}  // namespace

std::string reasonNotPredictable(const StepChange& change, const TracedStep& step) {
    const std::string what = change.bucketMiB > 0 ? "other buckets" : "another world size";
    if (change.bucketMiB <= 0 && change.worldSize <= 0) return {};
    if (!step.delayCostNs.empty())
        return "steps of a pipeline do not show the effect of " + what +
               ": the ranks of a pipeline exchange messages between their stages, and other stages were not recorded";
    if (step.isSharded())
        return "steps with sharded parameters do not show the effect of " + what +
               ": shards are gathered and reduced one by one, not in buckets, and their size depends on the number of "
               "ranks";
    return {};
}

void applyChange(const StepChange& change, StepPlan& step, const std::vector<const StepPlan*>& others,
                 StageTime stageTime) {
    if (change.withoutDelayOf >= 0 && static_cast<std::size_t>(change.withoutDelayOf) < step.ranks.size())
        withoutDelay(step, static_cast<std::size_t>(change.withoutDelayOf), stageTime);
    if (change.bucketMiB > 0) withBuckets(step, change.bucketMiB * (1 << 20));
    scaleMoves(step.messages, change.latency, 1 / change.bandwidth);
    for (RankPlan& rank : step.ranks) {
        scaleMoves(rank.collectives, change.latency, 1 / change.bandwidth);
        if (change.noOverlap) withoutOverlap(rank);
    }
    if (change.worldSize <= 0) return;
    // If `change` contains other changes besides the world size, additional ranks copy the ranks of this step, because
    // the change has not been applied to the plans in `others`.
    const bool onlyRanks = change == StepChange{.worldSize = change.worldSize};
    withRanks(step, static_cast<std::size_t>(change.worldSize), onlyRanks ? others : std::vector<const StepPlan*>{});
}

}  // namespace ringside
