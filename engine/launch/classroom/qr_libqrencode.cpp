// SPDX-License-Identifier: Apache-2.0
#include <qrencode.h>

#include <memory>

#include "launch/classroom/qr_code.h"

namespace ringside {

QrCode makeQrCode(const std::string& text) {
    // Level M tolerates a poor projector image. Case-sensitive mode still encodes all-upper-case text in the smaller
    // alphanumeric mode.
    const std::unique_ptr<QRcode, void (*)(QRcode*)> made(
        QRcode_encodeString(text.c_str(), 0, QR_ECLEVEL_M, QR_MODE_8, 1), QRcode_free);
    QrCode code;
    if (!made) return code;
    code.width = made->width;
    for (int i = 0; i < made->width * made->width; ++i) code.black.push_back((made->data[i] & 1) != 0);
    return code;
}

}  // namespace ringside
