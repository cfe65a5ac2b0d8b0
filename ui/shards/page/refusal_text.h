// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "config/pitfalls_config.h"

namespace ringside {

// Why deliberate mistakes cannot be dealt: where PyTorch refuses them, in its words and with the way out.
QString refusalTitle(const PitfallsConfig& pitfalls);
QString refusalText(const PitfallsConfig& pitfalls, const QString& problem);

}  // namespace ringside
