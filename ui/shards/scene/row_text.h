// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "data/sets/common/dataset.h"

namespace ringside {

// Returns the start of a table's row, "glucose 148, bmi 33.6, ...", or the sample of a text; empty for images.
QString rowText(const Dataset& data, std::int64_t sample);

}  // namespace ringside
