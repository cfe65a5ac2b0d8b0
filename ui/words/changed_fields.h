// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>

#include "config/run_config.h"

namespace ringside {

// Returns the labels of the form fields in which two experiments differ, in the order of the form.
QStringList changedFields(const RunConfig& a, const RunConfig& b);

}  // namespace ringside
