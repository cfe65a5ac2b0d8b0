// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/errors/exit_code.h"
#include "base/system/child_process.h"
#include "telemetry/events/event_choices.h"
#include "telemetry/events/events.h"

namespace ringside {

// State of one rank, from which judge() derives a verdict. Times are in seconds.
struct RankCondition {
    int rank = 0;
    std::string host;             // name of the rank's host; empty: this host
    std::optional<ChildEnd> end;  // exit code or signal of the process; empty: the process is still running
    int endOrder = 0;             // position in the order in which the supervisor detected ends, from 1; 0: still
                                  // running
    std::vector<std::string> lastLines;
    double silentSeconds = 0;        // time since the rank's last telemetry line, or since its start
    bool hasSentAny = false;         // true if at least one telemetry line of the rank has arrived
    bool processStopped = false;     // true if SIGSTOP or a debugger has stopped the process
    std::string position;            // last known position, such as "at step 41 of epoch 3"; empty before the
                                     // first heartbeat
    Heartbeat beat;                  // first heartbeat at the present position; later heartbeats show no progress
    double stalledSeconds = 0;       // time since the rank's last progress; 0 in phases without a time limit
    double longestStallSeconds = 0;  // longest earlier value of stalledSeconds
    double savingSeconds = 0;        // time since the last write of a rank that saves a checkpoint; 0 in other phases
    double endedSeconds = 0;         // time since the process ended
    int missingRank = -1;            // peer that this rank reported as missing; -1: none
    double longestSilence = 0;       // longest time between two telemetry lines of the rank; the silence since the last
                                     // line is not included
    std::optional<RankStage> reportedStage;  // stage that the rank's last RankState reported
    std::optional<bool> memoryKill = {};     // true if a killed rank was killed for lack of memory; empty: not known
};

// Limits in seconds after which a rank counts as hung.
struct SilenceLimits {
    double startSeconds = 10;    // longest allowed silence from the start of a rank to its first telemetry line
    double runSeconds = 30;      // longest allowed silence after the first telemetry line
    double stalledSeconds = 33;  // longest allowed time in which heartbeats arrive but show no progress
};

// Reason why a run has failed.
struct Verdict {
    ExitCode code = ExitCode::kOk;
    int firstFailedRank = -1;
    std::string text;
    bool isMisuse = false;  // true if the failed rank sent data that a correct program never sends
};

// Returns the reason why the run must end now; empty if the run can continue.
//
// settled: true if enough time has passed, since a rank ended because of a missing peer, to detect the end of this
// peer. Only then a report such as "rank 2 did not arrive" means that rank 2 hung. If some ranks are on other hosts, a
// rank that rejects its configuration or data is also judged only when settled: the cause can be invalid data from a
// peer, which another rank then reports.
std::optional<Verdict> judge(const std::vector<RankCondition>& conditions, const SilenceLimits& limits, bool settled);

// Returns the verdict about a rank on another host that sent invalid data to the supervisor.
Verdict misuseVerdict(const RankCondition& condition, const std::string& how);

// True if rank b may be waiting for rank a: a has made less progress, or both are at the same batch and only b waits in
// a collective.
bool isBehind(const RankCondition& a, const RankCondition& b);

}  // namespace ringside
