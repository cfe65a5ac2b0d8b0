// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace ringside {

class RunData;

// What the deliberate mistakes of a run do to its curves, with its own numbers, a line each; empty without any.
QString mistakeSentences(const RunData& run);

}  // namespace ringside
