// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>

namespace ringside {

// Number of purposes of memory. Their order is: parameters, gradients, optimizer, activations, gathered, buffers.
inline constexpr int kMemoryColors = 6;
QColor memoryColor(int what);

// Returns the colour of a micro-batch's backward pass; its forward pass is drawn in a paler shade of this colour.
QColor microBatchColor(int microBatch);

// Returns the colour of communication between ranks.
QColor movingColor();

}  // namespace ringside
