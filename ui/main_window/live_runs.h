// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>

namespace ringside {

// The run directories in these folders, and where ringsidectl puts runs, whose supervisor lives; newest name first.
QStringList liveRuns(QStringList folders);

}  // namespace ringside
