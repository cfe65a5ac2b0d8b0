// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace ringside {

class RunModel;

// Texts about the progress of a run before its first training step. All texts are empty after the first step, and if no
// run was started.
struct StartProgress {
    QString title;         // headline, such as "Starting 64 ranks, 12 connected"
    QString missingRanks;  // missing ranks, such as "Waiting: 3 ranks load the data; ranks 5, 9 have not started."
    QString run;           // name of the run
};

StartProgress startProgress(const RunModel& run);

}  // namespace ringside
