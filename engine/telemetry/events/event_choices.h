// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/text/named_choice.h"

namespace ringside {

// Enumerations in the events of a run, each with a table of its names in the order of the enumerators.

// Stage of a rank's life, from its start to its end.
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
    kStartingAgain  // the run restarts: from the restart to the first stage that the restarted rank reports
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

// Vector in a GradientView: the local gradient before the all-reduce, the mean after it, or the change of the weights
// by the update.
enum class GradientMoment : std::uint8_t { kOwn, kMean, kChange };
constexpr std::array<std::string_view, 3> namesOf(GradientMoment) {
    return {"own", "mean", "change"};
}

enum class LogLevel : std::uint8_t { kInfo, kWarning, kError };
constexpr std::array<std::string_view, 3> namesOf(LogLevel) {
    return {"info", "warning", "error"};
}

}  // namespace ringside
