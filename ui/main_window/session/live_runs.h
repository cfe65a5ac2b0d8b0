// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>

namespace ringside {

// Returns the run directories with a live supervisor in `folders` and in the default folder of ringsidectl, newest name
// first.
QStringList liveRuns(QStringList folders);

}  // namespace ringside
