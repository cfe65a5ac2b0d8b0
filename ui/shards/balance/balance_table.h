// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "sampling/findings/class_balance.h"
#include "tables/table_data.h"

namespace ringside {

TableData balanceTable(const ClassBalance& balance);

}  // namespace ringside
