// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <array>
#include <cstdint>

#include "models/watch_request.h"

namespace ringside {

enum class WatchLauncher : std::uint8_t { kPython, kTorchrun, kCommand };

// Names of the launchers (programs that start the ranks) in the settings file, in the order of the dialog's list.
inline constexpr std::array<const char*, 3> kWatchLauncherNames = {"python", "torchrun", "command"};

// Choices of the dialog "Watch a script".
struct WatchChoice {
    QString script;     // path of the script
    QString arguments;  // arguments of the script, as typed in a shell
    WatchLauncher launcher = WatchLauncher::kPython;
    int ranks = 2;        // number of ranks that torchrun starts
    QString interpreter;  // Python interpreter: path or name of a program
    QString command;      // whole command line, used only if the launcher is kCommand

    // Returns the words of the command to start. Launcher python: interpreter and script. Launcher torchrun:
    // interpreter, `-m torch.distributed.run ...` and script. Whole command: the command as typed.
    QStringList words() const;
    // Returns the working directory: the folder of the script.
    QString folder() const;
    // Returns why the command cannot be started, as one sentence; empty if it can.
    QString problem() const;
    WatchRequest request(bool isCheck) const;

    // Convert the choice to and from the list of texts that settings::kLastWatch stores.
    QStringList toTexts() const;
    void takeTexts(const QStringList& texts);
};

}  // namespace ringside
