// SPDX-License-Identifier: Apache-2.0
#include "launch/classroom/qr_code.h"

namespace ringside {

bool QrCode::isBlack(int row, int column) const {
    if (row < 0 || column < 0 || row >= width || column >= width) return false;
    return black[static_cast<std::size_t>(row * width + column)];
}

// Escape sequences set black on white, independent of the terminal's colours.
std::string QrCode::blocks() const {
    std::string text;
    if (isEmpty()) return text;
    for (int row = -kQuiet; row < width + kQuiet; row += 2) {
        text += "\x1b[30;107m";
        for (int column = -kQuiet; column < width + kQuiet; ++column) {
            const bool upper = isBlack(row, column);
            const bool lower = isBlack(row + 1, column);
            text += upper && lower ? "\u2588" : upper ? "\u2580" : lower ? "\u2584" : " ";
        }
        text += "\x1b[0m\n";
    }
    return text;
}

}  // namespace ringside
