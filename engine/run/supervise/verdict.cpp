// SPDX-License-Identifier: Apache-2.0
// Search for the failed rank that is the cause. The first of these ranks that exists is reported: a rank that other
// ranks report as sending invalid data (once settled); the first process that ended badly by itself; a silent rank; a
// rank that other ranks report as missing (once settled); a rank that makes no progress. Ranks that ended because a
// peer was missing are only witnesses.
#include "run/supervise/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <tuple>

#include "launch/layout/last_words.h"

namespace ringside {
namespace {

constexpr int kCommunicationFailed = static_cast<int>(ExitCode::kCommunicationFailed);

std::string seconds(double value) {
    return fmt::format("{:.1f} s", value);
}

std::string name(const RankCondition& condition) {
    return "rank " + std::to_string(condition.rank) + (condition.host.empty() ? "" : " on " + condition.host);
}

std::string where(const RankCondition& condition) {
    return condition.position.empty() ? "" : " " + condition.position;
}

// Returns ": " and the last line of the rank's output, without the prefix "rank N: " that workers add to their own
// messages; an empty text if there is no output.
std::string lastLineText(const RankCondition& condition) {
    if (condition.lastLines.empty()) return {};
    const std::string& line = condition.lastLines.back();
    const std::string prefix = "rank " + std::to_string(condition.rank) + ": ";
    return ": " + (line.rfind(prefix, 0) == 0 ? line.substr(prefix.size()) : line);
}

bool hasExitedCleanly(const RankCondition& condition) {
    return !condition.end->signalled &&
           (condition.end->code == 0 || condition.end->code == static_cast<int>(ExitCode::kStopped));
}

// True if the rank failed. An exit code of success counts as a failure if the rank did not report "finished" or
// "stopped".
bool hasFailed(const RankCondition& condition) {
    return condition.end && !(hasExitedCleanly(condition) && (condition.reportedStage == RankStage::kFinished ||
                                                              condition.reportedStage == RankStage::kStopped));
}

bool hasLostSupervisor(const RankCondition& condition) {
    return !condition.lastLines.empty() && condition.lastLines.back().find(kControlCut) != std::string::npos;
}

// True if the rank ended because a peer did not respond: the cause of the failure is then a peer.
bool hasMissedPeer(const RankCondition& condition) {
    return !hasLostSupervisor(condition) && condition.end && !condition.end->signalled &&
           condition.end->code == kCommunicationFailed;
}

// Returns the exit code of a run that failed because of this rank: the rank's own exit code if it is more specific than
// kRankDied.
ExitCode codeFor(const ChildEnd& end) {
    if (end.signalled) return ExitCode::kRankDied;
    switch (static_cast<ExitCode>(end.code)) {
        case ExitCode::kBadConfiguration:
        case ExitCode::kCommunicationFailed:
        case ExitCode::kDeviceFailed:
        case ExitCode::kInternal:
            return static_cast<ExitCode>(end.code);
        default:
            return ExitCode::kRankDied;
    }
}

// Returns the probable cause of a fatal signal; empty if none is known.
std::string causeOf(const RankCondition& condition) {
    if (!condition.end->signalled || condition.end->lost) return {};
    if (condition.end->code == SIGKILL) {
        if (!condition.memoryKill) return "; it was killed by a user, or by the kernel because memory ran out";
        if (!*condition.memoryKill)
            return "; it was killed by a user or another program (not by the kernel's out-of-memory killer)";
        return "; the kernel's out-of-memory killer ended it: lower loader.batch_size, the size of the model or "
               "parallel.world_size, or give the computer or its control group more memory";
    }
    if (condition.end->code == SIGBUS) {
        return "; no page was left for shared memory or a file: /dev/shm, the memory limit or the disk is full";
    }
    if (condition.end->code == SIGXFSZ) return "; a file grew beyond the limit that ulimit -f sets";
    if (condition.end->code == SIGXCPU) return "; it used more CPU time than ulimit -t allows";
    return {};
}

Verdict died(const RankCondition& condition) {
    std::string cause = causeOf(condition);
    if (hasExitedCleanly(condition) && !condition.end->left) cause = " without reporting that it had finished";
    return {codeFor(*condition.end), condition.rank,
            name(condition) + " " + condition.end->text() + where(condition) +
                (cause.empty() ? lastLineText(condition) : cause)};
}

Verdict missed(const RankCondition& missing, const RankCondition& witness) {
    if (hasMissedPeer(missing)) {
        const std::string found = missing.rank == witness.rank ? "" : ", as " + name(witness) + " found";
        return {ExitCode::kRankHung, missing.rank,
                name(missing) + " hung" + where(missing) +
                    ": it was unreachable for longer than parallel.timeout_seconds" + found + lastLineText(witness)};
    }
    if (missing.end) {
        return {
            ExitCode::kRankDied, missing.rank,
            name(missing) + " " + missing.end->text() + " while the other ranks were training" + lastLineText(witness)};
    }
    const std::string stopped = missing.processStopped ? " (its process is stopped)" : "";
    return {ExitCode::kRankHung, missing.rank,
            name(missing) + " hung" + where(missing) + stopped + ", as " + name(witness) + " found" +
                lastLineText(witness)};
}

Verdict silent(const RankCondition& condition, const SilenceLimits& limits) {
    const std::string stopped = condition.processStopped ? "; its process is stopped" : "";
    if (!condition.hasSentAny) {
        return {
            ExitCode::kRankHung, condition.rank,
            name(condition) + " sent nothing within " + seconds(limits.startSeconds) + " of its start" +
                (stopped.empty() ? "; if this computer is busy, end other programs, lower parallel.world_size or raise "
                                   "parallel.timeout_seconds"
                                 : stopped)};
    }
    return {ExitCode::kRankHung, condition.rank,
            name(condition) + " hung" + where(condition) + ": no heartbeat for " + seconds(condition.silentSeconds) +
                stopped};
}

// Returns the progress of a rank as a comparable tuple. The other ranks wait for the rank with the smallest value.
auto progressOf(const RankCondition& condition) {
    const bool waits = isCommunication(condition.beat.phase);
    return std::tuple(condition.beat.step, condition.beat.collective, condition.beat.batches, waits);
}

// Returns the longest time without progress that is allowed for a rank, in seconds: eight times the rank's longest
// earlier time without progress, but at least the limit. Before the end of the first step: ten times the limit, because
// the duration of a step is not known yet.
double patienceWith(const RankCondition& condition, const SilenceLimits& limits) {
    constexpr double kFirstStep = 10;
    constexpr double kSlowStep = 8;
    if (condition.beat.step == 0) return kFirstStep * limits.stalledSeconds;
    return std::max(limits.stalledSeconds, kSlowStep * condition.longestStallSeconds);
}

// Judges a run whose ranks send heartbeats but make no progress. Only the rank that is furthest behind is judged,
// because all others may be waiting for it.
std::optional<Verdict> judgeStalled(const std::vector<RankCondition>& conditions, const SilenceLimits& limits) {
    const RankCondition* last = nullptr;
    bool together = true;
    for (const RankCondition& condition : conditions) {
        if (condition.end) continue;
        together = together && (last == nullptr || progressOf(condition) == progressOf(*last));
        if (last == nullptr || progressOf(condition) < progressOf(*last)) last = &condition;
    }
    if (last == nullptr || last->stalledSeconds <= patienceWith(*last, limits)) return {};
    const bool all = together && conditions.size() > 1;
    const std::string phase = last->beat.step > 0
                                  ? " in " + std::string(phaseName(last->beat.phase))
                                  : "";  // before the first step, where(*last) already contains the phase
    return Verdict{ExitCode::kRankHung, last->rank,
                   (all ? "all ranks" : name(*last)) + " hung" + phase + where(*last) +
                       ": heartbeats arrive, but no progress for " + seconds(last->stalledSeconds) +
                       "; there is an endless loop, or the steps are long and parallel.timeout_seconds must be raised"};
}

// Returns the running rank that is furthest behind; null if none is running.
const RankCondition* furthestBehind(const std::vector<RankCondition>& conditions) {
    const RankCondition* last = nullptr;
    for (const RankCondition& condition : conditions) {
        if (!condition.end && (last == nullptr || isBehind(condition, *last))) last = &condition;
    }
    return last;
}

// Judges a run that makes no progress while it saves. The limit is ten times as long as for steps, because a slow disk
// may still be writing data from the kernel's cache.
std::optional<Verdict> judgeSaves(const std::vector<RankCondition>& conditions, const SilenceLimits& limits) {
    constexpr double kSlowDisk = 10;
    const RankCondition* last = furthestBehind(conditions);
    if (last == nullptr || last->savingSeconds <= kSlowDisk * limits.stalledSeconds) return {};
    return Verdict{ExitCode::kRankHung, last->rank,
                   name(*last) + " hung while the run was saved" + where(*last) +
                       ": heartbeats arrive, but nothing was written for " + seconds(last->savingSeconds) +
                       "; check the disk of the run directory"};
}

// Judges a run in which a rank is still running long after another rank has ended: all ranks should end together.
std::optional<Verdict> judgeLeftBehind(const std::vector<RankCondition>& conditions, const SilenceLimits& limits) {
    double longest = 0;
    for (const RankCondition& condition : conditions) longest = std::max(longest, condition.endedSeconds);
    const RankCondition* last = furthestBehind(conditions);
    if (last == nullptr || longest <= limits.stalledSeconds) return {};
    return Verdict{ExitCode::kRankHung, last->rank,
                   name(*last) + " hung" + where(*last) + ": another rank ended " + seconds(longest) +
                       " ago, and this rank continues alone"};
}

const RankCondition* firstEnded(const std::vector<RankCondition>& conditions, bool (*matches)(const RankCondition&)) {
    const RankCondition* first = nullptr;
    for (const RankCondition& condition : conditions) {
        if (matches(condition) && (first == nullptr || condition.endOrder < first->endOrder)) first = &condition;
    }
    return first;
}

// Returns the rank with the longest silence; null if there is none. Considers only running ranks whose process is
// stopped, or that have been silent for longer than a heartbeat can be delayed.
const RankCondition* quietest(const std::vector<RankCondition>& conditions) {
    constexpr double kLateSeconds = 2;
    const RankCondition* found = nullptr;
    for (const RankCondition& condition : conditions) {
        if (condition.end || (!condition.processStopped && condition.silentSeconds < kLateSeconds)) continue;
        if (found == nullptr || condition.silentSeconds > found->silentSeconds) found = &condition;
    }
    return found;
}

// Report of a missing rank: the rank that reported (witness), and the rank that was missing. Both are null if there is
// none.
struct MissingRankReport {
    const RankCondition* witness = nullptr;
    const RankCondition* missing = nullptr;
};

// Returns the report of the witness that ended first, among the reports whose missing rank satisfies `counts`.
MissingRankReport findMissingRankReport(const std::vector<RankCondition>& conditions,
                                        bool (*counts)(const RankCondition&)) {
    MissingRankReport best;
    for (const RankCondition& witness : conditions) {
        if (!hasMissedPeer(witness) || (best.witness != nullptr && best.witness->endOrder < witness.endOrder)) continue;
        const int named = witness.missingRank;
        for (const RankCondition& condition : conditions) {
            if (condition.rank == named && counts(condition)) best = {&witness, &condition};
        }
    }
    return best;
}

// True if each report of a missing peer names this rank. If ranks name each other instead, the connection between them
// failed, and none of them hung.
bool allName(const std::vector<RankCondition>& conditions, int rank) {
    return std::ranges::all_of(conditions, [rank](const RankCondition& condition) {
        return !hasMissedPeer(condition) || condition.missingRank < 0 || condition.missingRank == rank;
    });
}

// Returns the rank that hung for a while, if all ranks reported a missing peer: the rank whose longest silence exceeds
// all others by at least a second, or else the one rank that made less progress than all others. Null if there is none.
const RankCondition* rankThatReturnedLate(const std::vector<RankCondition>& conditions) {
    constexpr double kLateSeconds = 2;
    const auto silence = [](const RankCondition& condition) {
        return std::max(condition.longestSilence, condition.silentSeconds);
    };
    const RankCondition* longest = nullptr;
    double second = 0;
    for (const RankCondition& condition : conditions) {
        if (!hasMissedPeer(condition)) return nullptr;
        if (longest == nullptr || condition.longestSilence > longest->longestSilence) {
            second = longest != nullptr ? longest->longestSilence : 0;
            longest = &condition;
        } else {
            second = std::max(second, silence(condition));
        }
    }
    const bool clear = longest != nullptr && longest->longestSilence > kLateSeconds &&
                       longest->longestSilence > second + kLateSeconds / 2;
    if (clear) return longest;
    const RankCondition* last = nullptr;
    for (const RankCondition& condition : conditions) {
        if (condition.beat.step == 0 && condition.beat.collective == 0)
            return nullptr;  // the rank never connected: its progress is not known
        if (last == nullptr || isBehind(condition, *last)) last = &condition;
    }
    const auto others = [&](const RankCondition& condition) {
        return &condition == last || isBehind(*last, condition);
    };
    return last != nullptr && conditions.size() > 1 && std::ranges::all_of(conditions, others) ? last : nullptr;
}

bool namesMissingPeer(const RankCondition& condition) {
    return hasMissedPeer(condition) && condition.missingRank >= 0 && !condition.lastLines.empty() &&
           condition.lastLines.back().find(kMisbehaves) != std::string::npos;
}

// Returns the rank that most other ranks report as sending invalid data; null if there is no such report. If several
// ranks are reported equally often, returns the one that the lowest rank reports, because rank 0 runs on the
// supervisor's host.
const RankCondition* mostAccused(const std::vector<RankCondition>& conditions) {
    const auto accusers = [&](const RankCondition& accused) {
        return std::ranges::count_if(conditions, [&](const RankCondition& one) {
            return namesMissingPeer(one) && one.rank != accused.rank && one.missingRank == accused.rank;
        });
    };
    const RankCondition* most = nullptr;
    for (const RankCondition& condition : conditions) {
        if (!namesMissingPeer(condition) || condition.missingRank >= static_cast<int>(conditions.size())) continue;
        const RankCondition& accused = conditions[static_cast<std::size_t>(condition.missingRank)];
        if (accusers(accused) > 0 && (most == nullptr || accusers(accused) > accusers(*most))) most = &accused;
    }
    return most;
}

std::optional<Verdict> judgeAccusations(const std::vector<RankCondition>& conditions) {
    const RankCondition* accused = mostAccused(conditions);
    if (accused == nullptr) return {};
    const auto witness = std::ranges::find_if(conditions, [&](const RankCondition& one) {
        return namesMissingPeer(one) && one.missingRank == accused->rank;
    });
    const std::string& reportedStage = witness->lastLines.back();
    const std::size_t marker = reportedStage.find(kMisbehaves);
    return Verdict{ExitCode::kCommunicationFailed, accused->rank, name(*accused) + " " + reportedStage.substr(marker),
                   true};
}

bool isRefusal(const RankCondition& condition) {
    return condition.end && !condition.end->signalled &&
           condition.end->code == static_cast<int>(ExitCode::kBadConfiguration);
}

// Returns rank 0 if both `first` and rank 0 rejected the configuration, because rank 0 runs on the supervisor's host
// and can be trusted. Otherwise, returns `first`.
const RankCondition& refusalToReport(const std::vector<RankCondition>& conditions, const RankCondition& first) {
    for (const RankCondition& condition : conditions) {
        if (isRefusal(first) && condition.rank == 0 && isRefusal(condition)) return condition;
    }
    return first;
}

bool isOnOtherHosts(const std::vector<RankCondition>& conditions) {
    return std::ranges::any_of(conditions, [](const RankCondition& condition) { return !condition.host.empty(); });
}

// Judges a run in which ranks reported a missing peer (witnesses). first: the witness that ended first. Returns a
// verdict about the first of these ranks that exists: a missing rank that is not a witness itself; a rank from which
// the supervisor receives nothing either; a missing rank that all witnesses name; a rank that responded too late;
// `first`.
Verdict judgeWitnesses(const std::vector<RankCondition>& conditions, const RankCondition& first) {
    const MissingRankReport absent =
        findMissingRankReport(conditions, [](const RankCondition& condition) { return !hasMissedPeer(condition); });
    if (absent.witness != nullptr) return missed(*absent.missing, *absent.witness);
    if (const RankCondition* quiet = quietest(conditions)) return missed(*quiet, first);
    const MissingRankReport known = findMissingRankReport(conditions, hasMissedPeer);
    if (known.witness != nullptr && allName(conditions, known.missing->rank))
        return missed(*known.missing, *known.witness);
    if (const RankCondition* late = rankThatReturnedLate(conditions)) return missed(*late, first);
    return died(first);
}

}  // namespace

Verdict misuseVerdict(const RankCondition& condition, const std::string& how) {
    return {ExitCode::kCommunicationFailed, condition.rank, name(condition) + " " + kMisbehaves + ": " + how, true};
}

bool isBehind(const RankCondition& a, const RankCondition& b) {
    return progressOf(a) < progressOf(b);
}

std::optional<Verdict> judge(const std::vector<RankCondition>& conditions, const SilenceLimits& limits, bool settled) {
    if (settled) {
        if (const auto accused = judgeAccusations(conditions)) return accused;
    }
    const auto definite = [](const RankCondition& condition) {
        return hasFailed(condition) && !hasMissedPeer(condition);
    };
    if (const RankCondition* first = firstEnded(conditions, definite)) {
        if (!settled && isRefusal(*first) && isOnOtherHosts(conditions)) return {};
        return died(refusalToReport(conditions, *first));
    }
    for (const RankCondition& condition : conditions) {
        const double limit = condition.hasSentAny ? limits.runSeconds : limits.startSeconds;
        if (!condition.end && condition.silentSeconds > limit) return silent(condition, limits);
    }
    const RankCondition* witness = firstEnded(conditions, hasMissedPeer);
    if (witness == nullptr) {
        if (const auto still = judgeStalled(conditions, limits)) return still;
        if (const auto saves = judgeSaves(conditions, limits)) return saves;
        return judgeLeftBehind(conditions, limits);
    }
    if (!settled) return {};
    return judgeWitnesses(conditions, *witness);
}

}  // namespace ringside
