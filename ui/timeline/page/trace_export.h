// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "telemetry/traces/trace_data.h"

namespace ringside {

// Writes the traced steps as a file for ui.perfetto.dev. Returns the reason of a failure, or an empty text. Callable
// from any thread.
QString writeTrace(const TraceData& trace, const QString& runName, const QString& file);

}  // namespace ringside
