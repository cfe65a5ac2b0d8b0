// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace ringside {

class RunData;

// Returns one line per deliberate mistake of the run with its effect on the curves, in the numbers of the run. Empty
// without mistakes.
QString mistakeSentences(const RunData& run);

}  // namespace ringside
