// SPDX-License-Identifier: GPL-3.0-or-later
#include "theme/work_colors.h"

#include <array>

namespace ringside {

QColor memoryColor(int what) {
    static constexpr std::array<QRgb, kMemoryColors> kColors = {0x2F6DB5, 0x7FB2E5, 0xA78BCA,
                                                                0xE69F00, 0x2BA59B, 0x8AB661};
    return QColor::fromRgb(kColors[static_cast<std::size_t>(what) % kColors.size()]);
}

// Returns the colour of a micro-batch: one of eight colours that are easy to distinguish next to each other.
QColor microBatchColor(int microBatch) {
    static constexpr std::array<QRgb, 8> kColors = {0x4C78A8, 0xF2A03D, 0x54A24B, 0xB279A2,
                                                    0x72B7B2, 0xE45756, 0xD8B60A, 0x8A8A8A};
    return QColor::fromRgb(kColors[static_cast<std::size_t>(microBatch) % kColors.size()]);
}

QColor movingColor() {
    return QColor::fromRgb(0x2BA59B);
}

}  // namespace ringside
