// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>

#include "config/run_config.h"

namespace ringside {

// The form's names of the fields in which two experiments differ, top to bottom.
QStringList changedFields(const RunConfig& a, const RunConfig& b);

}  // namespace ringside
