// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "config/pitfalls_config.h"

namespace ringside {

// Texts for mistakes with which no samples can be assigned. If PyTorch raises an error, the text contains its message
// and the remedy.
QString refusalTitle(const PitfallsConfig& pitfalls);
QString refusalText(const PitfallsConfig& pitfalls, const QString& problem);

}  // namespace ringside
