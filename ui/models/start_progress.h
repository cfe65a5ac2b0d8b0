// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace ringside {

class RunModel;

// How far a run is before its first step, for who waits for it; a title and what is awaited. Both are empty once it
// trains, and when no run was started.
struct StartProgress {
    QString title;    // "Starting 64 ranks, 12 connected"
    QString awaited;  // "3 load the data; not up yet: rank 5, 9"
    QString run;      // its name
};

StartProgress startProgress(const RunModel& run);

}  // namespace ringside
