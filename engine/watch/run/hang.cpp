// SPDX-License-Identifier: Apache-2.0
#include "watch/run/hang.h"

#include <algorithm>
#include <map>
#include <optional>

#include "base/json/json_members.h"
#include "telemetry/steps/phase.h"
#include "watch/findings/finding_words.h"

namespace ringside {
namespace {

using State = RankStall::State;
using Collective = RankStall::Collective;

constexpr std::size_t kMaxNamed = 8;  // limit of the number of ranks that a text lists by number
constexpr std::size_t kMaxFrames = 40;

std::string textOf(const Json& json, const char* name) {
    const auto found = json.find(name);
    if (found == json.end() || found->is_null()) return {};
    return found->is_string() ? found->get<std::string>() : found->dump();
}

std::int64_t numberOf(const Json& json, const char* name, std::int64_t otherwise) {
    const auto found = json.find(name);
    return found != json.end() && found->is_number_integer() ? found->get<std::int64_t>() : otherwise;
}

Collective collectiveOf(const Json& json, const char* operation) {
    return {textOf(json, operation), textOf(json, "group"), numberOf(json, "number", 0), numberOf(json, "peer", -1)};
}

// Returns the latest collective of a rank: the collective in progress that the script itself has called, otherwise the
// latest entry of PyTorch's flight recorder, which also contains collectives of DistributedDataParallel and
// fully_shard.
std::optional<Collective> latest(const RankStall& rank) {
    if (rank.inside) return rank.inside;
    const std::optional<Phase> phase = phaseNamed(rank.phase);
    const bool mayWait = phase == Phase::kBackward || phase == Phase::kWaiting || phase == Phase::kForward;
    if (!mayWait || rank.recent.empty()) return {};
    return rank.recent.back();
}

bool isSame(const Collective& a, const Collective& b) {
    return a.operation == b.operation && a.group == b.group && a.number == b.number && a.peer == b.peer;
}

std::string described(const Collective& one) {
    std::string text = one.operation;
    if (one.number > 0) text += " number " + std::to_string(one.number);
    if (one.peer >= 0) text += " with rank " + std::to_string(one.peer);
    return text;
}

std::string lineOf(const RankStall& rank) {
    if (!rank.where.empty()) return rank.where;
    return rank.stack.empty() ? "an unknown line" : rank.stack.back();
}

std::string rankList(const std::vector<int>& ranks) {
    std::string text = ranks.size() == 1 ? "rank " : "ranks ";
    for (std::size_t i = 0; i < ranks.size() && i < kMaxNamed; ++i) {
        const bool isLast = i + 1 == ranks.size();
        text += (i == 0 ? "" : isLast ? " and " : ", ") + std::to_string(ranks[i]);
    }
    if (ranks.size() > kMaxNamed) text += " and " + std::to_string(ranks.size() - kMaxNamed) + " more";
    return text;
}

// Returns the position of one rank as a predicate without a subject: "waits in all_reduce number 17 at train.py:48
// main".
std::string position(const RankStall& rank) {
    if (rank.state == State::kEnded) return "has ended";
    if (const auto waits = latest(rank)) {
        const bool isExplicit = rank.inside.has_value();
        return (isExplicit ? "waits in " : "is in " + rank.phase + ", its latest collective is ") + described(*waits) +
               ", at " + lineOf(rank);
    }
    return "is in no collective that can be seen (" + (rank.phase.empty() ? "outside a step" : "phase " + rank.phase) +
           "), at " + lineOf(rank);
}

// Groups ranks with equal positions, so that the text stays short with many ranks.
std::string positions(const std::vector<RankStall>& ranks) {
    std::map<std::string, std::vector<int>> same;
    std::vector<std::string> order;
    for (const RankStall& rank : ranks) {
        const std::string text = position(rank);
        if (!same.contains(text)) order.push_back(text);
        same[text].push_back(rank.rank);
    }
    std::string all;
    for (const std::string& text : order) {
        const std::vector<int>& who = same[text];
        std::string verb = text;
        if (who.size() > 1 && verb.starts_with("waits ")) verb.replace(0, 6, "wait ");
        if (who.size() > 1 && verb.starts_with("is ")) verb.replace(0, 3, "are ");
        if (who.size() > 1 && verb.starts_with("has ")) verb.replace(0, 4, "have ");
        all += " " + capitalised(rankList(who)) + " " + verb + ".";
    }
    return all;
}

Json evidenceOf(const std::vector<RankStall>& ranks) {
    Json all = Json::array();
    for (const RankStall& rank : ranks) {
        Json one{{"rank", rank.rank}, {"ended", rank.state == State::kEnded}};
        if (rank.state == State::kStalled) {
            one["seconds"] = rank.seconds;
            one["cpu_seconds"] = rank.cpuSeconds;
            one["phase"] = rank.phase;
            one["where"] = rank.where;
            one["stack"] = rank.stack;
            if (const auto called = latest(rank))
                one["collective"] = {{"operation", called->operation},
                                     {"group", called->group},
                                     {"number", called->number},
                                     {"peer", called->peer}};
        }
        all.push_back(std::move(one));
    }
    return Json{{"ranks", std::move(all)}};
}

// True if this rank is stalled in a collective or message, and the latest collective or message of at least one other
// rank is a different one, or that rank has ended.
bool waitsAlone(const RankStall& rank, const std::vector<RankStall>& ranks) {
    const auto mine = latest(rank);
    if (rank.state != State::kStalled || !mine) return false;
    return std::ranges::any_of(ranks, [&](const RankStall& other) {
        const auto theirs = latest(other);
        return other.state == State::kEnded || !theirs || !isSame(*mine, *theirs);
    });
}

}  // namespace

RankStall rankStall(int rank, std::string_view facts) {
    RankStall stall;
    stall.rank = rank;
    stall.state = State::kStalled;
    const Result<Json> parsed = parseJson(facts, "facts");
    if (!parsed || !parsed.value().is_object()) return stall;
    const Json& json = parsed.value();
    stall.seconds = static_cast<double>(numberOf(json, "for_us", 0)) / 1e6;
    stall.cpuSeconds = static_cast<double>(numberOf(json, "cpu_us", 0)) / 1e6;
    stall.phase = textOf(json, "phase");
    stall.where = textOf(json, "where");
    if (const auto inside = json.find("inside"); inside != json.end() && inside->is_object())
        stall.inside = collectiveOf(*inside, "operation");
    if (const auto recent = json.find("recent"); recent != json.end() && recent->is_array())
        for (const Json& one : *recent)
            if (one.is_object()) stall.recent.push_back(collectiveOf(one, "name"));
    if (const auto stack = json.find("stack"); stack != json.end() && stack->is_array())
        for (const Json& one : *stack)
            if (one.is_string() && stall.stack.size() < kMaxFrames) stall.stack.push_back(one.get<std::string>());
    return stall;
}

std::optional<HangReport> findHang(const std::vector<RankStall>& ranks, double seconds) {
    for (const RankStall& rank : ranks) {
        if (rank.state == State::kEnded) continue;
        if (rank.state == State::kMoving || rank.isComputing()) return {};
    }
    const auto first = std::ranges::find_if(ranks, [&](const RankStall& one) { return waitsAlone(one, ranks); });
    HangReport report;
    report.isHang = first != ranks.end();
    if (report.isHang) report.where = first->where;
    report.text =
        "No rank has made progress for " + std::to_string(static_cast<int>(seconds)) + " s." + positions(ranks);
    if (!report.isHang) report.text += " Ringside cannot determine the rank for which the other ranks wait.";
    report.evidence = jsonText(evidenceOf(ranks));
    return report;
}

}  // namespace ringside
