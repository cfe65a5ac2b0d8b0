// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>

namespace ringside {

// Number of memory classes, in the order of the reports: parameters, gradients, optimizer, activations, gathered,
// buffers.
inline constexpr int kMemoryColors = 6;
QColor memoryColor(int what);

// Returns the colour of a micro-batch. Forward passes are drawn paler than backward passes.
QColor microBatchColor(int microBatch);

// Returns the colour of communication between ranks.
QColor movingColor();

}  // namespace ringside
