// SPDX-License-Identifier: Apache-2.0
#include "telemetry/data/awaited.h"

#include <algorithm>

namespace ringside {
namespace {

constexpr std::int64_t kAwaitedUs = 1'000'000;

bool isOver(const RankData& rank) {
    return rank.state == "finished" || rank.state == "stopped" || rank.state == "failed";
}

bool waitsLong(const RankData& rank) {
    return !isOver(rank) && rank.phase && isCommunication(*rank.phase) && rank.stillUs >= kAwaitedUs;
}

std::string secondsText(std::int64_t us) {
    return std::to_string(std::max<std::int64_t>(us, 0) / 1'000'000) + " s";
}

}  // namespace

std::optional<Awaited> awaitedRanks(const std::vector<RankData>& ranks) {
    Awaited awaited;
    std::int64_t collective = 0;
    for (const RankData& rank : ranks)
        if (waitsLong(rank)) collective = std::max(collective, rank.collective);
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        const bool waits = waitsLong(ranks[i]) && ranks[i].collective == collective;
        if (!isOver(ranks[i])) (waits ? awaited.waiting : awaited.missing).push_back(static_cast<int>(i));
        // The wait begins with the last to begin it.
        if (waits) awaited.sinceUs = std::max(awaited.sinceUs, ranks[i].beatUs - ranks[i].stillUs);
    }
    if (awaited.waiting.empty() || awaited.missing.empty()) return {};
    // A rank whose word is older than the wait has not been heard since; one that speaks of a later place is on its
    // way.
    const RankData& first = ranks[static_cast<std::size_t>(awaited.missing.front())];
    if (first.beatUs > awaited.sinceUs + kAwaitedUs && first.stillUs < kAwaitedUs && first.collective >= collective)
        return {};
    awaited.phase = first.phase.value_or(Phase::kIdle);
    awaited.seenUs = first.beatUs;
    return awaited;
}

std::string Awaited::text(std::int64_t nowUs) const {
    std::string who = missing.size() == 1 ? "rank " : "ranks ";
    constexpr std::size_t kNamed = 4;
    for (std::size_t i = 0; i < std::min(missing.size(), kNamed); ++i)
        who += (i > 0 ? ", " : "") + std::to_string(missing[i]);
    if (missing.size() > kNamed) who += " and " + std::to_string(missing.size() - kNamed) + " more";
    return who + (missing.size() == 1 ? " is" : " are") + " awaited for " + secondsText(nowUs - sinceUs) +
           ", last seen in " + std::string(phaseName(phase)) + " " + secondsText(nowUs - seenUs) + " ago";
}

}  // namespace ringside
