// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>

namespace ringside {

// Returns the cause of a failure: the last non-blank line of ringsidectl's error output, without the prefix
// "ringsidectl: " and with the form's labels in place of configuration paths such as "parallel.world_size".
QString failureCause(const QByteArray& standardError);

}  // namespace ringside
