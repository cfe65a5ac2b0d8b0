// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "telemetry/steps/phase.h"

namespace ringside {

// The phase as the pages call it: "data", "forward", "waiting".
QString phaseText(Phase phase);
// "38 ms", "2.4 ms", "0.031 ms": three figures, as the verdict has them; "21.0 s" from ten seconds on.
QString millisecondsText(double ms);
// "2.6 to 5.9 ms"
QString millisecondsRange(double low, double high);
// The number alone, for columns under "ms".
QString millisecondsNumber(double ms);

}  // namespace ringside
