// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "launch/channels/control_command.h"
#include "run/checkpoint/control_change.h"
#include "run/read/run_directory.h"
#include "telemetry/events/events.h"

namespace ringside {

// Control commands of a live run that a restart of its ranks must not undo: the commands in effect, and the commands
// that no rank has executed yet.
class LiveCommands {
  public:
    // Stores a command for rank 0 until the run reports that it has executed the command.
    void request(const ControlCommand& command);
    // Updates the commands in effect with a command that the ranks have executed.
    void report(const Controlled& executed);

    // Returns the commands that restarted ranks must execute. changes: changes that the ranks restore from the
    // checkpoint from which they resume.
    std::vector<ControlCommand> afterRestart(const std::vector<ControlChange>& changes) const;
    // Returns the number of epochs that a command has set; empty if there was no such command.
    std::optional<std::int64_t> epochs() const;

  private:
    void removePending(const Controlled& executed);

    std::optional<ControlChange> m_epochs;
    std::optional<ControlChange> m_learningRate;
    double m_rate = 0;      // maximum number of steps per second; 0: full speed
    bool m_isHeld = false;  // true if the run is paused, or pauses after the requested steps or phase
    std::vector<ControlCommand> m_pending;
};

// Returns the commands in effect at the end of the record in a run directory. Commands before the last start that was
// not a restart are ignored. Reads telemetry.jsonl; blocks on the disk.
LiveCommands readLiveCommands(const RunPaths& paths);

// Returns the commands as text, such as "epochs 6, pause".
std::string textOf(const std::vector<ControlCommand>& commands);

}  // namespace ringside
