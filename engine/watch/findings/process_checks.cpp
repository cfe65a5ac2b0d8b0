// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "telemetry/steps/phase.h"
#include "watch/evidence/fact_reader.h"
#include "watch/findings/finding_words.h"
#include "watch/findings/judges.h"

namespace ringside {
namespace {

// Returns the name of a library that connects the ranks without torch.distributed; empty if none is loaded.
std::string otherTransport(const RankEvidence& rank) {
    constexpr std::array<std::string_view, 3> kOthers{"horovod", "mpi4py", "deepspeed"};
    for (const std::string_view one : kOthers)
        if (memberOf(rank.latest("process"), one) != nullptr) return std::string(one);
    return {};
}

// State of a rank, for the decision whether the ranks hang. kIsElsewhere: the rank makes no progress and waits in no
// collective.
enum class Standing { kEnded, kWorks, kWaits, kIsElsewhere };

Standing standingOf(const RankEvidence& rank, std::int64_t nowUs) {
    constexpr std::int64_t kRecentUs = 10'000'000;  // a rank without a reported stall counts as working for this
                                                    // time (microseconds) after its latest progress
    if (rank.hasEnded()) return Standing::kEnded;
    if (!rank.isStalled()) return nowUs - rank.progressUs < kRecentUs ? Standing::kWorks : Standing::kIsElsewhere;
    const std::int64_t forUs = numberOf(*rank.stall, "for_us", 0);
    const std::int64_t cpuUs = numberOf(*rank.stall, "cpu_us", 0);
    if (2 * cpuUs > forUs) return Standing::kWorks;
    const std::optional<Phase> phase = phaseNamed(textOf(*rank.stall, "phase"));
    const bool isInside = memberOf(*rank.stall, "inside") != nullptr;
    return isInside || phase == Phase::kWaiting || phase == Phase::kBackward ? Standing::kWaits
                                                                             : Standing::kIsElsewhere;
}

std::string operationText(const RankEvidence& rank) {
    const Json* const inside = memberOf(*rank.stall, "inside");
    if (inside == nullptr)
        return phaseNamed(textOf(*rank.stall, "phase")) == Phase::kBackward ? "the backward pass" : "a collective";
    std::string text = textOf(*inside, "operation");
    const auto peer = numberOf(*inside, "peer");
    if (peer) return text + " with rank " + std::to_string(*peer);
    return text + " number " + grouped(numberOf(*inside, "number", 0)) + " of its process group";
}

std::string waitingText(const RankEvidence& rank) {
    const std::string where = textOf(*rank.stall, "where");
    return "rank " + std::to_string(rank.rank) + " waits in " + operationText(rank) +
           (where.empty() ? "" : " (" + where + ")");
}

std::string elsewhereText(const RankEvidence& rank) {
    const std::string name = "rank " + std::to_string(rank.rank);
    if (rank.hasEnded()) return name + " has " + textOf(*rank.state);
    if (!rank.stall) return name + " has sent no report";
    const std::string where = textOf(*rank.stall, "where");
    return name + " does not reach it: this rank is in phase " + textOf(*rank.stall, "phase") +
           (where.empty() ? "" : " (" + where + ")");
}

Json stallJson(const Evidence& evidence) {
    Json ranks = Json::array();
    for (const auto& [number, rank] : evidence.ranks()) {
        Json one = {{"rank", number}, {"state", rank.state ? nameOf(*rank.state) : ""}, {"steps", rank.stepCount}};
        if (rank.isStalled())
            for (const char* const key : {"phase", "where", "for_us", "inside", "stack", "recent"})
                if (const Json* const value = memberOf(*rank.stall, key)) one[key] = *value;
        ranks.push_back(std::move(one));
    }
    return {{"ranks", std::move(ranks)}};
}

// True if all waiting ranks are in the same collective: then the collective itself is slow, and no rank is missing.
bool isOneCollective(const std::vector<const RankEvidence*>& waiting) {
    const auto callOf = [](const RankEvidence* rank) {
        const Json* const inside = memberOf(*rank->stall, "inside");
        return inside == nullptr ? std::tuple(std::string(), std::int64_t{-1}, std::int64_t{-1})
                                 : std::tuple(textOf(*inside, "operation"), numberOf(*inside, "group", -1),
                                              numberOf(*inside, "number", -1));
    };
    const auto first = callOf(waiting.front());
    return std::get<2>(first) > 0 &&
           std::ranges::all_of(waiting, [&](const RankEvidence* one) { return callOf(one) == first; });
}

std::string hangText(const std::vector<const RankEvidence*>& waiting, const std::vector<const RankEvidence*>& others) {
    constexpr std::size_t kMax = 4;
    std::string text;
    for (std::size_t i = 0; i < std::min(waiting.size(), kMax); ++i)
        text += (i > 0 ? "; " : "") + waitingText(*waiting[i]);
    if (waiting.size() > kMax) text += "; " + std::to_string(waiting.size() - kMax) + " more ranks wait";
    for (std::size_t i = 0; i < std::min(others.size(), kMax); ++i) text += "; " + elsewhereText(*others[i]);
    return capitalised(text) + ".";
}

}  // namespace

Judgement judgeProcessGroup(const Evidence& evidence) {
    std::vector<int> alone;
    bool isDistributed = false;
    std::int64_t launched = evidence.worldSize();
    for (const auto& [number, rank] : evidence.ranks()) {
        const Json& created = rank.latest("process_group_created");
        const std::int64_t size = numberOf(created, "world_size", numberOf(rank.latest("process"), "world_size", 1));
        launched = std::max(launched, numberOf(created, "launcher_world_size", 1));
        if (rank.stepCount > 0 && (!rank.isDistributed() || size == 1)) alone.push_back(number);
        isDistributed = isDistributed || (rank.isDistributed() && size > 1);
        if (const std::string other = otherTransport(rank); !other.empty() && !rank.isDistributed())
            return couldNotJudge(other + " is loaded, a library that connects ranks without torch.distributed");
    }
    if (launched < 2) return skipped("only one process trains");
    if (isDistributed) return passed();
    if (alone.size() < 2) return couldNotJudge("fewer than two ranks have made optimizer steps");
    const RankEvidence& first = *evidence.find(alone.front());
    const std::string processes = counted(launched, "process");
    const std::string ranks = rankWords(alone);
    return found(processes + " were started, but " + ranks +
                     " train without a common process group: each process trains a separate model.",
                 textOf(first.latest("optimizer"), "where"), {{"launched", launched}, {"ranks", alone}});
}

Judgement judgeHang(const Evidence& evidence) {
    constexpr std::int64_t kMinUs = 8'000'000;
    if (evidence.ranks().size() < 2) return skipped("only one process has reported");
    std::vector<const RankEvidence*> waiting, others;
    std::int64_t longest = 0;
    for (const auto& [number, rank] : evidence.ranks()) {
        switch (standingOf(rank, evidence.latestReportUs())) {
            case Standing::kWorks:
                return passed();
            case Standing::kWaits:
                waiting.push_back(&rank);
                longest = std::max(longest, evidence.latestReportUs() - rank.progressUs);
                break;
            case Standing::kEnded:
            case Standing::kIsElsewhere:
                others.push_back(&rank);
                break;
        }
    }
    if (waiting.empty() || longest < kMinUs) return passed();
    if (others.empty() && isOneCollective(waiting))
        return couldNotJudge("all ranks wait in the same collective: the cause of the delay was not seen");
    return found("No rank has made progress for " + durationWords(static_cast<double>(longest)) + ". " +
                     hangText(waiting, others),
                 textOf(*waiting.front()->stall, "where"), stallJson(evidence));
}

Judgement judgeUnusedParameters(const Evidence& evidence) {
    constexpr std::string_view kMessage = "Expected to have finished reduction in the prior iteration";
    for (const auto& [number, rank] : evidence.ranks()) {
        for (const Json& exception : rank.factsOf("exception")) {
            if (textOf(exception, "text").find(kMessage) == std::string::npos) continue;
            return found("DDP on rank " + std::to_string(number) +
                             " stopped because some parameters received no gradient in the previous step, and "
                             "find_unused_parameters is False.",
                         textOf(exception, "where"), {{"rank", number}, {"step", rank.stepCount + 1}});
        }
    }
    const bool hasDdp = std::ranges::any_of(evidence.ranks(), [](const auto& one) {
        return std::ranges::any_of(one.second.factsOf("data_parallel"),
                                   [](const Json& facts) { return textOf(facts, "kind") == "ddp"; });
    });
    return hasDdp ? passed() : skipped("no model is wrapped in DistributedDataParallel");
}

}  // namespace ringside
