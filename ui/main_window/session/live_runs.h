// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>

namespace ringside {

// Returns the run directories with a live supervisor in `folders` and in the default folder of ringsidectl. Within a
// folder, the names are in descending order.
QStringList liveRuns(QStringList folders);

}  // namespace ringside
