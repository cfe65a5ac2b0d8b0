// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "shards/history/sample_history.h"
#include "tables/table_data.h"

namespace ringside {

TableData sampleHistoryTable(const SampleHistory& history);

}  // namespace ringside
