// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/json.h"

namespace ringside {

// Position of one rank of a watched run that makes no progress, from its facts "stalled" (docs/watch-protocol.md).
struct RankStall {
    enum class State {
        kMoving,   // the rank has reported progress after its stall
        kStalled,  // the rank has made no progress, and the members below describe its position
        kEnded     // the rank's process has ended
    };
    struct Collective {
        std::string operation;  // name of the operation, for example all_reduce or send
        std::string group;
        std::int64_t number = 0;  // number of the collective in its process group; 0 for send and recv
        std::int64_t peer = -1;   // rank at the other end of a message; -1 for collectives
    };
    int rank = 0;
    State state = State::kMoving;
    double seconds = 0;                // time in seconds for which no hook in the rank has been called
    double cpuSeconds = 0;             // CPU time that the training thread has used within `seconds`, in seconds
    std::string phase;                 // current phase: data, forward, backward, waiting, optimizer, idle
    std::optional<Collective> inside;  // collective or message in progress that the script itself has called
    std::vector<Collective> recent;    // latest entries of the rank's flight recorder (PyTorch), oldest first
    std::string where;                 // innermost line of the script on the stack, such as "train.py:48"; empty: not
                                       // known
    std::vector<std::string> stack;    // stack of the training thread, outermost first: "train.py:48 main"

    // True if the training thread has used the CPU for more than 20 % of `seconds`: the rank computes and does not
    // hang.
    bool isComputing() const { return cpuSeconds > 0.2 * seconds; }
};

// Returns the stall that the JSON text of "stalled" facts describes.
RankStall rankStall(int rank, std::string_view facts);

// Conclusion about ranks that make no progress.
struct HangReport {
    bool isHang = false;   // true if at least one rank waits for other ranks that do not reach the same operation
    std::string text;      // description of the hang: one or more sentences with the position of each rank
    std::string where;     // line of the script at which the first rank waits, and which other ranks do not reach; may
                           // be empty
    std::string evidence;  // evidence of the hang: a JSON object, as text
};

// Decides from the positions of the ranks whether the run hangs. Returns an empty value if a rank makes progress or
// computes. seconds: time for which no rank has made progress.
std::optional<HangReport> findHang(const std::vector<RankStall>& ranks, double seconds);

}  // namespace ringside
