// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "config/run_config.h"
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
    // Removes the commands of this kind, both those in effect and those not executed yet. pause, step or phase: also
    // ends the pause that is in effect, regardless of which of these three commands caused the pause.
    void cancel(ControlKind kind);
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

// Returns the commands that a run must execute after a user has resumed the run `resumed`, so that it continues with
// the settings that commands have changed since the checkpoint: learning rate, number of epochs, and speed. A pause is
// not repeated, because a resumed run trains. Settings that the user gives again are not repeated either: fields of
// `assignments`, those of the option --set, and a learning rate of `experiment`, the experiment of the new run, that
// differs from the recorded one. keepsEpochs: false if `experiment` is not that of `resumed`, so that its number of
// epochs applies. Returns no commands if `resumed` is not a run directory, such as a checkpoint. Reads telemetry.jsonl;
// blocks on the disk.
LiveCommands readCommandsToResume(const std::filesystem::path& resumed, const RunConfig& experiment,
                                  const std::vector<std::string>& assignments, bool keepsEpochs);

// Returns the commands as text, such as "epochs 6, pause".
std::string textOf(const std::vector<ControlCommand>& commands);

}  // namespace ringside
