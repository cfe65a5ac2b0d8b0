// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/text/named_choice.h"
#include "launch/classroom/classroom_host.h"
#include "telemetry/data/run_data.h"

namespace ringside {

// Phase of a classroom: waiting for members, sending them the checkpoint from which the ranks continue, running the
// ranks, or closed.
enum class ClassroomPhase : std::uint8_t { kGathering, kSending, kRunning, kOver };
constexpr std::array<std::string_view, 4> namesOf(ClassroomPhase) {
    return {"waiting", "sending", "running", "over"};
}

// State of a classroom at one moment.
struct ClassroomState {
    ClassroomPhase phase = ClassroomPhase::kGathering;
    int wanted = 0;  // desired number of ranks
    int least = 0;   // minimum number of ranks with which the run restarts after a failure; 0: all ranks are needed
    std::string news;
};

// Receives what happens in a ClassroomRun, for display. Must outlive the ClassroomRun.
//
// Thread safety: beginTraining() and showProgress() are called from the thread of a run, all other functions from the
// thread of ClassroomRun::run(), possibly at the same time. No function is called while a lock is held.
class ClassroomObserver {
  public:
    virtual ~ClassroomObserver() = default;

    // Called once, when the classroom is open. wanted: desired number of ranks.
    virtual void begin(const ClassroomHost& host, const std::string& experiment, int wanted) = 0;
    // Called with each event of the classroom, as a sentence.
    virtual void print(const std::string& sentence) = 0;
    // Called when a run has started, with its directory.
    virtual void runBegins(const std::string& directory) = 0;
    // Called repeatedly with the current state, also if it has not changed.
    virtual void show(const ClassroomHost& host, const ClassroomState& state) = 0;
    // Called once at the end of the classroom, before the members are informed of the end.
    virtual void showEnd(const std::string& verdict, int exitCode) = 0;
    // Called with the reason why the classroom ends without a finished run.
    virtual void showFailure(const std::string& verdict) = 0;

    // Called at each start of the ranks, before showProgress().
    virtual void beginTraining() = 0;
    // Called after events of the run were recorded. changes: RunChange bits, one for each part of the data that
    // changed.
    virtual void showProgress(const RunData& run, unsigned changes) = 0;
};

}  // namespace ringside
