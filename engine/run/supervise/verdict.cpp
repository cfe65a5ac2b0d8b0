// SPDX-License-Identifier: Apache-2.0
// Search for the failed rank. The first of these is the cause: a rank that others accuse of invalid data (once
// settled); the first process that ended badly by itself; a silent rank; a rank that others report as missing (once
// settled); a rank that makes no progress. Ranks that gave up on a peer are only witnesses.
#include "run/supervise/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <tuple>

#include "launch/place/last_words.h"

namespace ringside {
namespace {

constexpr int kCommunicationFailed = static_cast<int>(ExitCode::kCommunicationFailed);

std::string seconds(double value) {
    return fmt::format("{:.1f} s", value);
}

std::string name(const RankCondition& fate) {
    return "rank " + std::to_string(fate.rank) + (fate.host.empty() ? "" : " on " + fate.host);
}

std::string where(const RankCondition& fate) {
    return fate.place.empty() ? "" : " " + fate.place;
}

// Returns ": " and the last line of the rank's output, without the prefix "rank N: " that workers add to their own
// messages; an empty text if there is no output.
std::string lastWords(const RankCondition& fate) {
    if (fate.lastLines.empty()) return {};
    const std::string& line = fate.lastLines.back();
    const std::string prefix = "rank " + std::to_string(fate.rank) + ": ";
    return ": " + (line.rfind(prefix, 0) == 0 ? line.substr(prefix.size()) : line);
}

bool exitedWell(const RankCondition& fate) {
    return !fate.end->signalled && (fate.end->code == 0 || fate.end->code == static_cast<int>(ExitCode::kStopped));
}

// True if the rank failed. An exit code of success counts as a failure if the rank did not report "finished" or
// "stopped".
bool endedBadly(const RankCondition& fate) {
    return fate.end && !(exitedWell(fate) &&
                         (fate.reportedStage == RankStage::kFinished || fate.reportedStage == RankStage::kStopped));
}

bool wasCutOff(const RankCondition& fate) {
    return !fate.lastLines.empty() && fate.lastLines.back().find(kControlCut) != std::string::npos;
}

// True if the rank ended because a peer did not respond: the cause of the failure is then a peer.
bool gaveUp(const RankCondition& fate) {
    return !wasCutOff(fate) && fate.end && !fate.end->signalled && fate.end->code == kCommunicationFailed;
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
std::string causeOf(const RankCondition& fate) {
    if (!fate.end->signalled || fate.end->lost) return {};
    if (fate.end->code == SIGKILL) {
        if (!fate.memoryKill) return "; it was killed by a user, or by the kernel because memory ran out";
        if (!*fate.memoryKill)
            return "; it was killed by a user or another program (not by the kernel's out-of-memory killer)";
        return "; the kernel's out-of-memory killer ended it: lower loader.batch_size, the size of the model or "
               "parallel.world_size, or give the computer or its control group more memory";
    }
    if (fate.end->code == SIGBUS) {
        return "; no page was left for shared memory or a file: /dev/shm, the memory limit or the disk is full";
    }
    if (fate.end->code == SIGXFSZ) return "; a file grew beyond the limit that ulimit -f sets";
    if (fate.end->code == SIGXCPU) return "; it used more CPU time than ulimit -t allows";
    return {};
}

Verdict died(const RankCondition& fate) {
    std::string cause = causeOf(fate);
    if (exitedWell(fate)) cause = " without reporting that it had finished";
    return {codeFor(*fate.end), fate.rank,
            name(fate) + " " + fate.end->text() + where(fate) + (cause.empty() ? lastWords(fate) : cause)};
}

Verdict missed(const RankCondition& missing, const RankCondition& witness) {
    if (gaveUp(missing)) {
        const std::string found = missing.rank == witness.rank ? "" : ", as " + name(witness) + " found";
        return {ExitCode::kRankHung, missing.rank,
                name(missing) + " hung" + where(missing) +
                    ": it was unreachable for longer than parallel.timeout_seconds" + found + lastWords(witness)};
    }
    if (missing.end) {
        return {ExitCode::kRankDied, missing.rank,
                name(missing) + " " + missing.end->text() + " while the others were training" + lastWords(witness)};
    }
    const std::string stopped = missing.processStopped ? " (its process is stopped)" : "";
    return {
        ExitCode::kRankHung, missing.rank,
        name(missing) + " hung" + where(missing) + stopped + ", as " + name(witness) + " found" + lastWords(witness)};
}

Verdict silent(const RankCondition& fate, const SilenceLimits& limits) {
    const std::string stopped = fate.processStopped ? "; its process is stopped" : "";
    if (!fate.hasSentAny) {
        return {
            ExitCode::kRankHung, fate.rank,
            name(fate) + " sent nothing within " + seconds(limits.startSeconds) + " of its start" +
                (stopped.empty() ? "; if this computer is busy, end other programs, lower parallel.world_size or raise "
                                   "parallel.timeout_seconds"
                                 : stopped)};
    }
    return {ExitCode::kRankHung, fate.rank,
            name(fate) + " hung" + where(fate) + ": no heartbeat for " + seconds(fate.silentSeconds) + stopped};
}

// Returns the progress of a rank as a comparable tuple. The other ranks wait for the rank with the smallest value.
auto progressOf(const RankCondition& fate) {
    const bool waits = isCommunication(fate.beat.phase);
    return std::tuple(fate.beat.step, fate.beat.collective, fate.beat.batches, waits);
}

// Returns the longest time without progress that is allowed for a rank, in seconds: eight times its longest earlier
// time, but at least the limit; before the end of the first step, ten times the limit, because the duration of a step
// is not known yet.
double patienceWith(const RankCondition& fate, const SilenceLimits& limits) {
    constexpr double kFirstStep = 10;
    constexpr double kSlowStep = 8;
    if (fate.beat.step == 0) return kFirstStep * limits.stillSeconds;
    return std::max(limits.stillSeconds, kSlowStep * fate.longestSeconds);
}

// Judges a run whose ranks send heartbeats but make no progress. Only the rank that is furthest behind is judged,
// because all others may be waiting for it.
std::optional<Verdict> judgeStanding(const std::vector<RankCondition>& fates, const SilenceLimits& limits) {
    const RankCondition* last = nullptr;
    bool together = true;
    for (const RankCondition& fate : fates) {
        if (fate.end) continue;
        together = together && (last == nullptr || progressOf(fate) == progressOf(*last));
        if (last == nullptr || progressOf(fate) < progressOf(*last)) last = &fate;
    }
    if (last == nullptr || last->stillSeconds <= patienceWith(*last, limits)) return {};
    const bool all = together && fates.size() > 1;
    const std::string phase = last->beat.step > 0
                                  ? " in " + std::string(phaseName(last->beat.phase))
                                  : "";  // before the first step, where(*last) already contains the phase
    return Verdict{ExitCode::kRankHung, last->rank,
                   (all ? "all ranks" : name(*last)) + " hung" + phase + where(*last) +
                       ": heartbeats arrive, but no progress for " + seconds(last->stillSeconds) +
                       "; an endless loop, or long steps for which parallel.timeout_seconds must be raised"};
}

// Returns the running rank that is furthest behind; null if none is running.
const RankCondition* furthestBehind(const std::vector<RankCondition>& fates) {
    const RankCondition* last = nullptr;
    for (const RankCondition& fate : fates) {
        if (!fate.end && (last == nullptr || isBehind(fate, *last))) last = &fate;
    }
    return last;
}

// Judges a run that makes no progress while it saves. The limit is ten times as long as for steps, because a slow disk
// may still be writing data from the kernel's cache.
std::optional<Verdict> judgeSaves(const std::vector<RankCondition>& fates, const SilenceLimits& limits) {
    constexpr double kSlowDisk = 10;
    const RankCondition* last = furthestBehind(fates);
    if (last == nullptr || last->savingSeconds <= kSlowDisk * limits.stillSeconds) return {};
    return Verdict{ExitCode::kRankHung, last->rank,
                   name(*last) + " hung while the run was saved" + where(*last) +
                       ": heartbeats arrive, but nothing was written for " + seconds(last->savingSeconds) +
                       "; is the disk of the run directory gone?"};
}

// Judges a run in which a rank is still running long after another rank has ended: all ranks should end together.
std::optional<Verdict> judgeLeftBehind(const std::vector<RankCondition>& fates, const SilenceLimits& limits) {
    double longest = 0;
    for (const RankCondition& fate : fates) longest = std::max(longest, fate.endedSeconds);
    const RankCondition* last = furthestBehind(fates);
    if (last == nullptr || longest <= limits.stillSeconds) return {};
    return Verdict{ExitCode::kRankHung, last->rank,
                   name(*last) + " hung" + where(*last) + ": another rank ended " + seconds(longest) +
                       " ago, and this rank continues alone"};
}

const RankCondition* firstEnded(const std::vector<RankCondition>& fates, bool (*matches)(const RankCondition&)) {
    const RankCondition* first = nullptr;
    for (const RankCondition& fate : fates) {
        if (matches(fate) && (first == nullptr || fate.endOrder < first->endOrder)) first = &fate;
    }
    return first;
}

// Returns the rank with the longest silence, among the running ranks whose process is stopped or that have been silent
// for longer than a heartbeat can be delayed; null if there is none.
const RankCondition* quietest(const std::vector<RankCondition>& fates) {
    constexpr double kLateSeconds = 2;
    const RankCondition* found = nullptr;
    for (const RankCondition& fate : fates) {
        if (fate.end || (!fate.processStopped && fate.silentSeconds < kLateSeconds)) continue;
        if (found == nullptr || fate.silentSeconds > found->silentSeconds) found = &fate;
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
MissingRankReport findMissingRankReport(const std::vector<RankCondition>& fates, bool (*counts)(const RankCondition&)) {
    MissingRankReport best;
    for (const RankCondition& witness : fates) {
        if (!gaveUp(witness) || (best.witness != nullptr && best.witness->endOrder < witness.endOrder)) continue;
        const int named = witness.missingRank;
        for (const RankCondition& fate : fates) {
            if (fate.rank == named && counts(fate)) best = {&witness, &fate};
        }
    }
    return best;
}

// True if each report of a missing peer names this rank. If ranks name each other instead, the connection between them
// failed, and none of them hung.
bool allName(const std::vector<RankCondition>& fates, int rank) {
    return std::ranges::all_of(fates, [rank](const RankCondition& fate) {
        return !gaveUp(fate) || fate.missingRank < 0 || fate.missingRank == rank;
    });
}

// Returns the rank that hung for a while, if all ranks reported a missing peer: the rank whose longest silence exceeds
// all others by at least a second, or else the one rank that made less progress than all others. Null if there is none.
const RankCondition* rankThatReturnedLate(const std::vector<RankCondition>& fates) {
    constexpr double kLateSeconds = 2;
    const auto silence = [](const RankCondition& fate) { return std::max(fate.longestSilence, fate.silentSeconds); };
    const RankCondition* longest = nullptr;
    double second = 0;
    for (const RankCondition& fate : fates) {
        if (!gaveUp(fate)) return nullptr;
        if (longest == nullptr || fate.longestSilence > longest->longestSilence) {
            second = longest != nullptr ? longest->longestSilence : 0;
            longest = &fate;
        } else {
            second = std::max(second, silence(fate));
        }
    }
    const bool clear = longest != nullptr && longest->longestSilence > kLateSeconds &&
                       longest->longestSilence > second + kLateSeconds / 2;
    if (clear) return longest;
    const RankCondition* last = nullptr;
    for (const RankCondition& fate : fates) {
        if (fate.beat.step == 0 && fate.beat.collective == 0)
            return nullptr;  // the rank never connected: its progress is not known
        if (last == nullptr || isBehind(fate, *last)) last = &fate;
    }
    const auto others = [&](const RankCondition& fate) { return &fate == last || isBehind(*last, fate); };
    return last != nullptr && fates.size() > 1 && std::ranges::all_of(fates, others) ? last : nullptr;
}

bool namesMissingPeer(const RankCondition& fate) {
    return gaveUp(fate) && fate.missingRank >= 0 && !fate.lastLines.empty() &&
           fate.lastLines.back().find(kMisbehaves) != std::string::npos;
}

// Returns the rank that most other ranks report as sending invalid data; null if there is no such report. If several
// ranks are reported equally often, returns the one that the lowest rank reports, because rank 0 runs on the
// supervisor's host.
const RankCondition* mostAccused(const std::vector<RankCondition>& fates) {
    const auto accusers = [&](const RankCondition& accused) {
        return std::ranges::count_if(fates, [&](const RankCondition& one) {
            return namesMissingPeer(one) && one.rank != accused.rank && one.missingRank == accused.rank;
        });
    };
    const RankCondition* most = nullptr;
    for (const RankCondition& fate : fates) {
        if (!namesMissingPeer(fate) || fate.missingRank >= static_cast<int>(fates.size())) continue;
        const RankCondition& accused = fates[static_cast<std::size_t>(fate.missingRank)];
        if (accusers(accused) > 0 && (most == nullptr || accusers(accused) > accusers(*most))) most = &accused;
    }
    return most;
}

std::optional<Verdict> judgeAccusations(const std::vector<RankCondition>& fates) {
    const RankCondition* accused = mostAccused(fates);
    if (accused == nullptr) return {};
    const auto witness = std::ranges::find_if(
        fates, [&](const RankCondition& one) { return namesMissingPeer(one) && one.missingRank == accused->rank; });
    const std::string& reportedStage = witness->lastLines.back();
    const std::size_t marker = reportedStage.find(kMisbehaves);
    return Verdict{ExitCode::kCommunicationFailed, accused->rank, name(*accused) + " " + reportedStage.substr(marker),
                   true};
}

bool isRefusal(const RankCondition& fate) {
    return fate.end && !fate.end->signalled && fate.end->code == static_cast<int>(ExitCode::kBadConfiguration);
}

// Returns rank 0 if both `first` and rank 0 rejected the configuration, because rank 0 runs on the supervisor's host
// and can be trusted. Otherwise, returns `first`.
const RankCondition& refusalToReport(const std::vector<RankCondition>& fates, const RankCondition& first) {
    for (const RankCondition& fate : fates) {
        if (isRefusal(first) && fate.rank == 0 && isRefusal(fate)) return fate;
    }
    return first;
}

bool isOnOtherHosts(const std::vector<RankCondition>& fates) {
    return std::ranges::any_of(fates, [](const RankCondition& fate) { return !fate.host.empty(); });
}

// Judges a run in which ranks reported a missing peer (witnesses). first: the witness that ended first. Returns a
// verdict about the first of these ranks that exists: a missing rank that is not a witness itself; a rank from which
// the supervisor receives nothing either; a missing rank that all witnesses name; a rank that responded too late;
// `first`.
Verdict judgeWitnesses(const std::vector<RankCondition>& fates, const RankCondition& first) {
    const MissingRankReport absent =
        findMissingRankReport(fates, [](const RankCondition& fate) { return !gaveUp(fate); });
    if (absent.witness != nullptr) return missed(*absent.missing, *absent.witness);
    if (const RankCondition* quiet = quietest(fates)) return missed(*quiet, first);
    const MissingRankReport known = findMissingRankReport(fates, gaveUp);
    if (known.witness != nullptr && allName(fates, known.missing->rank)) return missed(*known.missing, *known.witness);
    if (const RankCondition* late = rankThatReturnedLate(fates)) return missed(*late, first);
    return died(first);
}

}  // namespace

Verdict misuseVerdict(const RankCondition& fate, const std::string& how) {
    return {ExitCode::kCommunicationFailed, fate.rank, name(fate) + " " + kMisbehaves + ": " + how, true};
}

bool isBehind(const RankCondition& a, const RankCondition& b) {
    return progressOf(a) < progressOf(b);
}

std::optional<Verdict> judge(const std::vector<RankCondition>& fates, const SilenceLimits& limits, bool settled) {
    if (settled) {
        if (const auto accused = judgeAccusations(fates)) return accused;
    }
    const auto definite = [](const RankCondition& fate) { return endedBadly(fate) && !gaveUp(fate); };
    if (const RankCondition* first = firstEnded(fates, definite)) {
        if (!settled && isRefusal(*first) && isOnOtherHosts(fates)) return {};
        return died(refusalToReport(fates, *first));
    }
    for (const RankCondition& fate : fates) {
        const double limit = fate.hasSentAny ? limits.runSeconds : limits.startSeconds;
        if (!fate.end && fate.silentSeconds > limit) return silent(fate, limits);
    }
    const RankCondition* witness = firstEnded(fates, gaveUp);
    if (witness == nullptr) {
        if (const auto still = judgeStanding(fates, limits)) return still;
        if (const auto saves = judgeSaves(fates, limits)) return saves;
        return judgeLeftBehind(fates, limits);
    }
    if (!settled) return {};
    return judgeWitnesses(fates, *witness);
}

}  // namespace ringside
