// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>

namespace ringside {

// Returns the directories of the live runs in `folders` and in the default folder of ringsidectl. The runs of each
// folder are in descending order of their names, which begin with the date.
QStringList liveRuns(QStringList folders);

}  // namespace ringside
