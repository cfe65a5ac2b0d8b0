// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>

namespace ringside {

// Command with a user's training script that `ringsidectl watch` runs.
struct WatchRequest {
    QStringList command;   // program to start and its arguments
    QString folder;        // working directory of the command
    QString script;        // path or name of the script, for messages
    bool isCheck = false;  // true to end the command after 50 steps of each rank (--check)
};

}  // namespace ringside
