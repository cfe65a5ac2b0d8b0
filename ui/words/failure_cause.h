// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>

namespace ringside {

// Returns the last non-blank line of ringsidectl's error output, which names the cause of a failure. Removes the prefix
// "ringsidectl: " and replaces configuration paths, such as "parallel.world_size", by the labels of the form.
QString failureCause(const QByteArray& standardError);

}  // namespace ringside
