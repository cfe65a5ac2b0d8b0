// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>

namespace ringside {

// What a rank's memory is for, in the order in which it is told: parameters, gradients, optimizer, activations,
// gathered, buffers.
inline constexpr int kMemoryColors = 6;
QColor memoryColor(int what);

// A micro-batch's colour; forward passes are paler than backward ones.
QColor microBatchColor(int microBatch);

// What moves between ranks.
QColor movingColor();

}  // namespace ringside
