// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/text/named_choice.h"

namespace ringside {

// Enumerations that occur in the events of a run. Each has a table of names in the order of its enumerators.

// Stage of a rank's life, from the start of its process to its end.
enum class RankStage : std::uint8_t {
    kStarting,
    kConnecting,
    kLoading,
    kTraining,
    kValidating,
    kSaving,
    kPaused,
    kLeftEarly,  // the rank ended training before the other ranks, on purpose (pitfalls.early_exit)
    kFinished,
    kStopped,
    kFailed,
    kStartingAgain  // the run restarts its ranks; lasts until the restarted rank reports its first stage
};
constexpr std::array<std::string_view, 12> namesOf(RankStage) {
    return {"starting", "connecting", "loading",  "training", "validating", "saving",
            "paused",   "left early", "finished", "stopped",  "failed",     "starting again"};
}

enum class RunOutcome : std::uint8_t { kFinished, kStopped, kFailed };
constexpr std::array<std::string_view, 3> namesOf(RunOutcome) {
    return {"finished", "stopped", "failed"};
}

enum class SplitKind : std::uint8_t { kTrain, kValidation };
constexpr std::array<std::string_view, 2> namesOf(SplitKind) {
    return {"train", "val"};
}

// Vector that a GradientView contains. kOwn: local gradient before the all-reduce. kMean: averaged gradient after the
// all-reduce. kChange: change of the weights by the optimizer's update.
enum class GradientMoment : std::uint8_t { kOwn, kMean, kChange };
constexpr std::array<std::string_view, 3> namesOf(GradientMoment) {
    return {"own", "mean", "change"};
}

enum class LogLevel : std::uint8_t { kInfo, kWarning, kError };
constexpr std::array<std::string_view, 3> namesOf(LogLevel) {
    return {"info", "warning", "error"};
}

}  // namespace ringside
