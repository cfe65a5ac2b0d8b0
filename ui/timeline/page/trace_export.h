// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "telemetry/data/trace_data.h"

namespace ringside {

// Writes the traced steps as a file for ui.perfetto.dev. Returns why that failed; empty: it is written. Any thread.
QString writeTrace(const TraceData& trace, const QString& runName, const QString& file);

}  // namespace ringside
