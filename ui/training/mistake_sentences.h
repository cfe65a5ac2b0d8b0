// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace ringside {

class RunData;

// Returns one line for each deliberate mistake that is switched on in the run: its effect on the curves, with the
// numbers of this run. Empty if no mistake is switched on.
QString mistakeSentences(const RunData& run);

}  // namespace ringside
