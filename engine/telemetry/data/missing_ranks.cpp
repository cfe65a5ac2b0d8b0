// SPDX-License-Identifier: Apache-2.0
#include "telemetry/data/missing_ranks.h"

#include <algorithm>

namespace ringside {
namespace {

constexpr std::int64_t kMinWaitUs = 1'000'000;

bool isOver(const RankData& rank) {
    return rank.state == RankStage::kFinished || rank.state == RankStage::kStopped || rank.state == RankStage::kFailed;
}

bool waitsLong(const RankData& rank) {
    return !isOver(rank) && rank.phase && isCommunication(*rank.phase) && rank.stalledUs >= kMinWaitUs;
}

// True if a recent heartbeat shows that the rank has entered the collective. Such a rank is not missing, even if it has
// not waited for a second yet.
bool hasCome(const RankData& rank, std::int64_t collective, std::int64_t newestUs) {
    return rank.phase && isCommunication(*rank.phase) && rank.collective == collective &&
           newestUs - rank.beatUs < kMinWaitUs;
}

// True if recent heartbeats show that the rank is paused. A paused rank waits in a collective until rank 0 decides that
// the pause ends; it is neither missing nor waiting for a missing rank.
bool isPaused(const RankData& rank, std::int64_t newestUs) {
    constexpr std::int64_t kRecentUs = 5'000'000;
    return rank.phase == Phase::kPaused && newestUs - rank.beatUs < kRecentUs;
}

std::string secondsText(std::int64_t us) {
    return std::to_string(std::max<std::int64_t>(us, 0) / 1'000'000) + " s";
}

}  // namespace

std::optional<MissingRanks> findMissingRanks(const std::vector<RankData>& ranks) {
    MissingRanks found;
    std::int64_t collective = 0, newestUs = 0;
    bool anyWaits = false;
    for (const RankData& rank : ranks) {
        newestUs = std::max(newestUs, rank.beatUs);
        if (!waitsLong(rank)) continue;
        anyWaits = true;
        collective = std::max(collective, rank.collective);
    }
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        const bool waits = waitsLong(ranks[i]) && ranks[i].collective == collective;
        if (isPaused(ranks[i], newestUs)) continue;
        const bool there = waits || hasCome(ranks[i], collective, newestUs);
        if (!isOver(ranks[i])) (there ? found.waiting : found.missing).push_back(static_cast<int>(i));
        // The wait begins when the last of the waiting ranks has entered the collective.
        if (waits) found.sinceUs = std::max(found.sinceUs, ranks[i].beatUs - ranks[i].stalledUs);
    }
    if (!anyWaits || found.missing.empty()) return {};
    // Returns no missing rank if the first rank in `missing` sent a heartbeat more than a second after the wait began,
    // and this heartbeat shows that the rank still advances and has reached the collective.
    const RankData& first = ranks[static_cast<std::size_t>(found.missing.front())];
    if (first.beatUs > found.sinceUs + kMinWaitUs && first.stalledUs < kMinWaitUs && first.collective >= collective)
        return {};
    found.phase = first.phase.value_or(Phase::kIdle);
    found.seenUs = first.beatUs;
    return found;
}

std::string MissingRanks::text(std::int64_t nowUs) const {
    std::string who = missing.size() == 1 ? "rank " : "ranks ";
    constexpr std::size_t kNamed = 4;
    for (std::size_t i = 0; i < std::min(missing.size(), kNamed); ++i)
        who += (i > 0 ? ", " : "") + std::to_string(missing[i]);
    if (missing.size() > kNamed) who += " and " + std::to_string(missing.size() - kNamed) + " more";
    return who + (missing.size() == 1 ? " has" : " have") + " been missing for " + secondsText(nowUs - sinceUs) +
           ", last reported in " + std::string(phaseName(phase)) + " " + secondsText(nowUs - seenUs) + " ago";
}

}  // namespace ringside
