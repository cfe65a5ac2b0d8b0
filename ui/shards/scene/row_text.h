// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "data/sets/common/dataset.h"

namespace ringside {

// The beginning of a table's row as its file has it, "glucose 148, bmi 33.6, ..."; the sample of a text; empty for
// images.
QString rowText(const Dataset& data, std::int64_t sample);

}  // namespace ringside
