// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace ringside {

// A text as a QR code (ISO/IEC 18004), made by libqrencode. Empty where the program was built without it, or the text
// is too long.
struct QrCode {
    int width = 0;            // modules a side, without the quiet zone
    std::vector<bool> black;  // by row

    static constexpr int kQuiet = 4;  // modules of white that belong around it

    bool isEmpty() const { return width == 0; }
    bool isBlack(int row, int column) const;  // white outside
    // For a terminal of any colours: two modules a character, white drawn as blocks.
    std::string blocks() const;
};

QrCode makeQrCode(const std::string& text);

}  // namespace ringside
