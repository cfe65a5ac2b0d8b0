// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/errors/exit_code.h"
#include "base/system/child_process.h"
#include "telemetry/events/events.h"

namespace ringside {

// What the supervisor knows of one rank when it has to judge.
struct RankFate {
    int rank = 0;
    std::string host;             // empty: this one
    std::optional<ChildEnd> end;  // empty: the process lives
    int endOrder = 0;             // 1 = the first that was seen to end
    std::vector<std::string> lastLines;
    double silentSeconds = 0;  // since anything was heard from it
    bool everHeard = false;
    bool processStopped = false;          // by SIGSTOP or a debugger
    std::string place;                    // "in all-reduce at step 41 of epoch 3", empty before the first heartbeat
    Heartbeat beat;                       // the last that differed from the one before
    double stillSeconds = 0;              // since then; 0 where it may stand still
    double longestSeconds = 0;            // that it stood still before
    double savingSeconds = 0;             // since a rank that saves wrote anything; 0 where it does not save
    double endedSeconds = 0;              // since its process ended
    int missingRank = -1;                 // whom it gave up on, as it said itself
    double longestSilence = 0;            // between two signs of life, before the present one
    std::string said;                     // its last RankState
    std::optional<bool> memoryKill = {};  // of a killed rank: whether memory had run out; empty: nobody knows
};

// How long silence, and standing still in spite of signs of life, may last.
struct SilenceLimits {
    double startSeconds = 10;
    double runSeconds = 30;
    double stillSeconds = 33;
};

struct Verdict {
    ExitCode code = ExitCode::kOk;
    int firstFailedRank = -1;
    std::string text;
    bool isMisuse = false;  // that rank sent what no rank of the run sends
};

// Why the run must end now, if it must. `settled`: ranks that report a missing peer have been given the time in which a
// peer's own death would have been seen; only then is "rank 2 did not arrive" believed to be a hang. With ranks on
// other hosts, a rank that refuses the configuration or the data is believed only then as well: a peer that sent it
// garbage may be the cause, which another rank reports.
std::optional<Verdict> judge(const std::vector<RankFate>& fates, const SilenceLimits& limits, bool settled);

// A rank of another host that broke a rule towards the host of the run itself.
Verdict misuseVerdict(const RankFate& fate, const std::string& how);

// Whether a keeps b waiting: further back in the run, or in the same collective not yet waiting.
bool isBehind(const RankFate& a, const RankFate& b);

}  // namespace ringside
