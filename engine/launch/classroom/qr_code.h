// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace ringside {

// QR code (ISO/IEC 18004) of a text, created with libqrencode. Empty if Ringside was built without libqrencode or the
// text is too long.
struct QrCode {
    int width = 0;            // number of modules (black or white squares) per side, without the white border
    std::vector<bool> black;  // true for each black module, row by row

    static constexpr int kQuiet = 4;  // width of the required white border, in modules

    bool isEmpty() const { return width == 0; }
    bool isBlack(int row, int column) const;  // returns false for a position outside the code
    // Returns the code as text for a terminal: one character holds two modules, one above the other.
    std::string blocks() const;
};

// Returns the QR code of a text, with error correction level M.
QrCode makeQrCode(const std::string& text);

}  // namespace ringside
